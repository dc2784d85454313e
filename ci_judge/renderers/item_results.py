"""What became of each expectation of a list in one run."""

from typing import Final, Literal, NamedTuple, TypeAlias

from ci_judge.model.document import RunEntry, TestEntry

ItemState: TypeAlias = Literal["met", "not met", "undecided", "not judged"]

CERTAIN: Final = "certain: no judge was asked"


class ItemResult(NamedTuple):
    """One expectation. ``text`` and ``reason`` are untrusted, ``reason`` may be empty."""

    number: int
    text: str
    state: ItemState
    certain: bool
    reason: str

    @property
    def words(self) -> str:
        """``not met (certain: …)``, in our own words alone."""
        return f"{self.state} ({CERTAIN})" if self.certain else self.state


def item_results(test: TestEntry, run: RunEntry) -> list[ItemResult]:
    """Give the result of each expectation, none where a test has fewer than two."""
    if len(test["expected"]) < 2:  # noqa: PLR2004 - a list
        return []
    return [_result(number, text, run) for number, text in enumerate(test["expected"], start=1)]


def _result(number: int, text: str, run: RunEntry) -> ItemResult:
    for check in run["checks"]:
        if check["item"] == number and not check["passed"]:
            reason = f'the phrase "{check["wanted"]}" is missing; found: {check["found"]}'
            return ItemResult(number, text, "not met", certain=True, reason=reason)
    for vote in run["votes"]:
        if vote["item"] == number:
            return ItemResult(number, text, _STATES[vote["passed"]], False, vote["reason"])  # noqa: FBT003 - a tuple's field
    return ItemResult(number, text, "not judged", certain=False, reason="")


_STATES: Final[dict[bool | None, ItemState]] = {True: "met", False: "not met", None: "undecided"}
