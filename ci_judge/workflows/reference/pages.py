"""Pages of Markdown made by code: their tables, and whether the committed ones are up to date."""

import inspect
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from ci_judge.workflows import derived_files

FOLDER = Path("docs/reference")


def page(title: str, *parts: str, made_by: str) -> str:
    """Put a page together; ``made_by`` is the module that makes it."""
    head = f"<!-- Made by `python -m {made_by} --write`; edit the code. -->\n# {title}"
    return "\n\n".join((head, *parts)) + "\n"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Give a table. Cells are Markdown already; see ``cell`` for text that is none."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def cell(text: str) -> str:
    """Make a sentence of the code fit for a cell: names between double backticks become code."""
    return " ".join(text.replace("``", "`").split()).replace("|", r"\|").replace("<", r"\<")


def paragraphs(text: str) -> str:
    """Give the paragraphs of a docstring or a help text, one line each."""
    return "\n\n".join(map(cell, inspect.cleandoc(text).split("\n\n")))


def code(text: str) -> str:
    """Show text as code in a cell, nothing where there is none."""
    return f"`{text.replace('|', chr(92) + '|')}`" if text else ""


def settle(pages: Mapping[str, str], arguments: Sequence[str], *, root: Path, remedy: str) -> int:
    """Write the pages (--write), or name those that are not as the code has them (1: some are not).

    ``pages`` maps file names within the folder of the reference to their text.
    """
    made = {(FOLDER / name).as_posix(): text for name, text in pages.items()}
    return derived_files.settle(made, arguments, root=root, remedy=f"{remedy} --write")
