"""Puts what five events leave into the page about them.

``python -m tests.walk_through --write`` writes ``docs/walk-through.md``, ``--check`` compares.
"""

import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.played_events import Produced, produced

PAGE = Path(__file__).resolve().parents[1] / "docs" / "walk-through.md"
_MARKED = re.compile(
    r"(<!-- produced: (\S+) (\S+) -->\n\n)(`{3,})(\w+)\n.*?^\4$", re.MULTILINE | re.DOTALL
)


def with_produced(page: str, made: Mapping[str, Produced]) -> str:
    """Put what was produced where the page marks its place."""

    def block(found: re.Match[str]) -> str:
        text = getattr(made[found[2]], found[3]).rstrip("\n")
        fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
        return f"{found[1]}{fence}{found[5]}\n{text}\n{fence}"

    return _MARKED.sub(block, page)


def main(arguments: list[str], make: Callable[[], Mapping[str, Produced]] = produced) -> int:
    """Write into the page what the events leave (--write), or say that it is another (--check)."""
    page = PAGE.read_text(encoding="utf-8")
    text = with_produced(page, make())
    if arguments == ["--write"]:
        PAGE.write_text(text, encoding="utf-8", newline="\n")
    elif text != page:
        sys.stderr.write(f"{PAGE.name} is not what the events leave; use --write\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
