"""The process that case files run in: ``python case_child.py CHANNEL_FD CASE_FILE``.

Started as a plain file with the interpreter that the cases need, where CI Judge itself may not be
installed; this file and all that it imports use the standard library only.
"""

import importlib.util
import sys
from pathlib import Path


def offer_package(folder: Path) -> None:
    """Make ``ci_judge`` importable from ``folder`` and nothing else that lies beside it."""
    spec = importlib.util.spec_from_file_location(
        "ci_judge", folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    if spec is None or spec.loader is None:
        raise ImportError(f"no package at {folder}")
    module = importlib.util.module_from_spec(spec)
    sys.modules["ci_judge"] = module
    spec.loader.exec_module(module)


def main() -> None:
    offer_package(Path(__file__).resolve().parent.parent)
    from ci_judge.suites.case_service import serve  # noqa: PLC0415 - importable only from here on

    serve(channel_fd=int(sys.argv[1]), file=sys.argv[2])


if __name__ == "__main__":
    main()
