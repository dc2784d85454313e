"""Why runs ended in errors, in words for people who do not know the engine's."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from ci_judge.model.document import TestEntry
from ci_judge.model.judging import Outcome
from ci_judge.renderers.wording import counted

_BECAUSE: Final[dict[Outcome, str]] = {
    "target_error": "because the target gave no answer to judge",
    "case_error": "because the case itself broke",
    "judge_error": "because the judge gave no verdict",
}


class TroubleLine(NamedTuple):
    """How many runs ended in errors, in our own words, and the reason (untrusted, may be empty)."""

    what: str
    reason: str

    def __str__(self) -> str:
        return f"{self.what}: {self.reason}" if self.reason else f"{self.what}."


def trouble_lines(test: TestEntry) -> Iterator[TroubleLine]:
    """Tell why runs of a test ended in errors, most runs first; nothing when none did."""
    told = 0
    for trouble in test["troubles"]:
        told += trouble["runs"]
        because = _BECAUSE.get(trouble["outcome"], "")
        what = f"{_ended(trouble['runs'])} {because}".rstrip()
        yield TroubleLine(what, trouble["reason"].strip())
    left = test["errors"] - told
    if left > 0:
        yield TroubleLine(f"{_ended(left)}{' for other reasons' if told else ''}", "")


def _ended(runs: int) -> str:
    return f"{counted(runs, 'run')} ended in {'an error' if runs == 1 else 'errors'}"
