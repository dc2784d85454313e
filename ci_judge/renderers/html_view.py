"""What the HTML shows of a test and its runs, chosen and cut before the template sees it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from markupsafe import escape

from ci_judge.model.document import (
    CheckEntry,
    FailureEntry,
    GroupEntry,
    MessageEntry,
    RunEntry,
    TestEntry,
)
from ci_judge.protocols import RunSource
from ci_judge.renderers.html_room import Room
from ci_judge.renderers.phrase_marks import Piece, marked_pieces
from ci_judge.renderers.shown_runs import (
    Passage,
    as_text,
    captured_passages,
    clipped,
    failure_of,
    kind_of,
    speaker,
)
from ci_judge.renderers.stopped_tests import is_counted
from ci_judge.renderers.wording import RUN_WORDS, Standing, in_order, standing

CELLS: Final = 200
TEXT_CHARS: Final = 8000
SHORT_CHARS: Final = 600
SAMPLES: Final = 2
_SIGNS: Final = {"pass": "✓", "fail": "✗", "error": "?", "not_run": "-"}
_MARKUP_BYTES: Final = 900
_BRIEF_BYTES: Final = 450
"""About what the template puts around the texts of a run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message of a conversation; the last answer is cut into pieces at its phrases."""

    speaker: str
    pieces: Sequence[Piece]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunView:
    """One run in full. ``told`` is False where there was no room for more than its reason."""

    entry: RunEntry
    kind: str
    reason: str
    told: bool
    turns: Sequence[Turn]
    captured: Sequence[Passage]
    evidence: str | None
    checks: Sequence[CheckEntry]
    failure: FailureEntry | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One cell of the run strip. ``linked`` when the run itself is shown.

    ``counted`` is False for a run that came after its test was decided.
    """

    number: int
    kind: str
    word: str
    linked: bool
    counted: bool

    @property
    def sign(self) -> str:
        return _SIGNS[self.kind]


@dataclass(frozen=True, slots=True, kw_only=True)
class TestView:
    """One test.

    ``more_cells`` counts the runs that the strip does not show, ``more_bad`` those that went wrong
    and for which there was no room at all.
    """

    __test__ = False  # the name is the domain's; pytest need not collect it

    entry: TestEntry
    standing: Standing
    turns: Sequence[Turn]
    history: Sequence[Turn]
    cells: Sequence[Cell]
    more_cells: int
    bad: Sequence[RunView]
    more_bad: int
    samples: Sequence[RunView]


class Views:
    """Makes the views of a report one test after another; only one test's runs are held."""

    def __init__(self, runs: RunSource, *, rooms: "Rooms", all_transcripts: bool) -> None:
        self._runs = runs
        self._rooms = rooms
        self._all_transcripts = all_transcripts

    def tests(self, group: GroupEntry) -> Iterator[TestView]:
        for test in in_order(group["tests"]):
            yield self._test(test)

    def _test(self, test: TestEntry) -> TestView:
        self._rooms.next_test()
        shown = _Shown()
        for run in self._runs.runs(test["id"]):
            cell = _cell(run, linked=self._show(run, shown), counted=is_counted(test, run))
            shown.add(cell)
        return TestView(
            entry=test,
            standing=standing(test),
            turns=_turns(({"role": "user", "content": turn} for turn in test["turns"]), TEXT_CHARS),
            history=_turns(test["history"], TEXT_CHARS),
            cells=shown.cells,
            more_cells=shown.more_cells,
            bad=shown.bad,
            more_bad=shown.more_bad,
            samples=shown.samples,
        )

    def _show(self, run: RunEntry, shown: "_Shown") -> bool:
        """Show a run if it is to be shown and there is room; say whether it is."""
        if kind_of(run) in {"fail", "error"}:
            bad = self._rooms.bad_run(run)
            shown.bad.extend([bad] if bad else [])
            shown.more_bad += bad is None
            return bad is not None
        if kind_of(run) != "pass" or not self._is_sample(run, shown):
            return False
        sample = self._rooms.sample(run)
        shown.samples.extend([sample] if sample else [])
        return sample is not None

    def _is_sample(self, run: RunEntry, shown: "_Shown") -> bool:
        """Take the first passes, and every one that holds text addressed to the judge."""
        few = len(shown.samples) < SAMPLES
        return self._all_transcripts or few or bool(run["suspicious"])


class _Shown:
    """What has been chosen so far of one test's runs."""

    def __init__(self) -> None:
        self.cells: list[Cell] = []
        self.more_cells = 0
        self.bad: list[RunView] = []
        self.more_bad = 0
        self.samples: list[RunView] = []

    def add(self, cell: Cell) -> None:
        if len(self.cells) < CELLS:
            self.cells.append(cell)
        else:
            self.more_cells += 1


def _cell(run: RunEntry, *, linked: bool, counted: bool) -> Cell:
    word = f"{RUN_WORDS[run['outcome']]}{'' if counted else ', not counted'}"
    kind = kind_of(run)
    return Cell(number=run["number"], kind=kind, word=word, linked=linked, counted=counted)


class Rooms:
    """The room for runs that went wrong, and that for samples of runs that did not."""

    def __init__(self, *, bad: Room, samples: Room) -> None:
        self._bad = bad
        self._samples = samples

    def next_test(self) -> None:
        self._bad.next_test()
        self._samples.next_test()

    def bad_run(self, run: RunEntry) -> RunView | None:
        """Show all of it, or shortened, or its reason alone, or nothing, as there is room."""
        return _told_within(self._bad, run) or _taken(self._bad, _brief(run))

    def sample(self, run: RunEntry) -> RunView | None:
        return _told_within(self._samples, run)


def _told_within(room: Room, run: RunEntry) -> RunView | None:
    return _taken(room, _told(run, TEXT_CHARS)) or _taken(room, _told(run, SHORT_CHARS))


def _taken(room: Room, view: RunView) -> RunView | None:
    return view if room.take(_size(view)) else None


def _brief(run: RunEntry) -> RunView:
    return RunView(
        entry=run,
        kind=kind_of(run),
        reason=clipped(run["reason"], SHORT_CHARS),
        told=False,
        turns=(),
        captured=(),
        evidence=None,
        checks=(),
        failure=None,
    )


def _told(run: RunEntry, limit: int) -> RunView:
    evidence = run["evidence"]
    return RunView(
        entry=run,
        kind=kind_of(run),
        reason=clipped(run["reason"], limit),
        told=True,
        turns=_turns(run["transcript"], limit, run["checks"]),
        captured=[Passage(title, clipped(text, limit)) for title, text in captured_passages(run)],
        evidence=None if evidence is None else clipped(as_text(evidence), limit),
        checks=[_short_check(check, limit) for check in run["checks"]],
        failure=_short_failure(failure_of(run), limit),
    )


def _turns(messages: Any, limit: int, checks: Sequence[CheckEntry] = ()) -> list[Turn]:
    """Turn messages into pieces of text; what the checks found is marked in each answer."""
    return [_turn(message, limit, checks) for message in messages]


def _turn(message: MessageEntry, limit: int, checks: Sequence[CheckEntry]) -> Turn:
    text = clipped(as_text(message["content"]), limit)
    marks = checks if message["role"] == "assistant" else ()
    return Turn(speaker=speaker(message["role"]), pieces=marked_pieces(text, marks))


def _short_check(check: CheckEntry, limit: int) -> CheckEntry:
    return {
        **check,
        "wanted": clipped(check["wanted"], limit),
        "found": clipped(check["found"], limit),
    }


def _short_failure(failure: FailureEntry | None, limit: int) -> FailureEntry | None:
    if failure is None:
        return None
    return {
        **failure,
        "message": clipped(failure["message"], limit),
        "detail": clipped(failure["detail"], limit),
    }


def _size(view: RunView) -> int:
    """Count the bytes of a run's texts as they will be escaped, and about those around them."""
    return (_MARKUP_BYTES if view.told else _BRIEF_BYTES) + sum(map(_bytes, _texts(view)))


def _bytes(text: str) -> int:
    return len(escape(text).encode(errors="replace"))


def _texts(view: RunView) -> Iterator[str]:
    yield view.reason
    if not view.told:
        return
    yield view.evidence or ""
    for turn in view.turns:
        yield from (piece.text for piece in turn.pieces)
    yield from (passage.title + passage.text for passage in view.captured)
    for check in view.checks:
        yield check["wanted"] + check["found"]
    yield from (each["found"] for each in view.entry["suspicious"])
    for vote in view.entry["votes"]:
        yield vote["reason"]
        yield from (member["judge"] + member["reason"] for member in vote["members"])
    for trial in view.entry["trials"]:
        yield from (ruling["reason"] for ruling in trial["rulings"])
    if view.failure:
        yield view.failure["message"] + view.failure["detail"]
