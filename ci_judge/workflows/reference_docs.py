"""Makes ``docs/reference`` out of what the code declares; the commands' page is made by the cli.

``python -m ci_judge.workflows.reference_docs --write``
"""

import sys
from pathlib import Path

from ci_judge.workflows.reference.action_page import action_page
from ci_judge.workflows.reference.configuration import MADE_BY, configuration_page
from ci_judge.workflows.reference.pages import settle
from ci_judge.workflows.reference.report_page import report_page
from ci_judge.workflows.reference.suite_files import suite_files_page


def reference_pages() -> dict[str, str]:
    """Give the pages: file name → text."""
    return {
        "action.md": action_page(),
        "configuration.md": configuration_page(),
        "report.md": report_page(),
        "suite-files.md": suite_files_page(),
    }


def main(arguments: list[str], *, root: Path = Path()) -> int:
    """Write the pages (--write), or say which are not as the code has them (--check)."""
    return settle(reference_pages(), arguments, root=root, remedy=f"python -m {MADE_BY}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
