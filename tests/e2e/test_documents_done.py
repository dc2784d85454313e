"""The tutorial and the how-tos, done word for word: files, commands, and what they print."""

from pathlib import Path

import pytest

from tests.documents import DOCS, blocks_of
from tests.reader import Reader, agrees

TUTORIAL = DOCS / "tutorial.md"
DONE = [
    path
    for path in (TUTORIAL, *sorted((DOCS / "how-to").glob("*.md")))
    if any(block.mark.startswith("run: ") for block in blocks_of(path))
]


@pytest.mark.parametrize("path", DONE, ids=lambda path: path.stem)
def test_doing_what_it_says_gives_what_it_shows(path: Path, tmp_path: Path) -> None:
    reader = Reader(tmp_path)
    for block in blocks_of(path):
        reader.follow(block)


def test_the_tutorial_has_a_failing_and_a_passing_run_and_no_block_that_is_not_done() -> None:
    blocks = list(blocks_of(TUTORIAL))
    codes = [block.mark for block in blocks if "ci-judge run" in block.text]
    assert codes == ["run: 1", "run: 0"]
    unmarked = [block for block in blocks if not block.mark]
    assert [block.text.splitlines()[0] for block in unmarked] == ["judge:"]  # it needs a key


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("a\n", "a\n", True),
        ("a\n", "a\nb\n", False),
        ("a\n…\n", "a\nb\nc\n", True),
        ("a\n…\nc\n", "a\nc\n", True),
        ("a\n…\nc\n", "a\nb\n", False),
        ("run 4: x\n", "run 12: x\n", True),
        ("23 of 30\n", "24 of 30\n", False),
    ],
)
def test_shown_and_printed_text_are_compared_line_by_line(
    shown: str,
    printed: str,
    *,
    same: bool,
) -> None:
    assert agrees(shown, printed) is same
