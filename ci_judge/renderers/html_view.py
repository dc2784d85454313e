"""What the HTML shows of a test and its runs, chosen and cut before the template sees it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ci_judge.model.document import (
    CheckEntry,
    FailureEntry,
    GroupEntry,
    MessageEntry,
    RunEntry,
    TestEntry,
)
from ci_judge.protocols import RunSource
from ci_judge.renderers.forest_plot import PlotRow, plot_row
from ci_judge.renderers.html_room import Room
from ci_judge.renderers.phrase_marks import Piece, marked_pieces
from ci_judge.renderers.shown_runs import as_text, clipped, failure_of, kind_of, speaker
from ci_judge.renderers.wording import RUN_WORDS, Standing, standing

CELLS: Final = 200
TEXT_CHARS: Final = 8000
SHORT_CHARS: Final = 600
SAMPLES: Final = 2
_SIGNS: Final = {"pass": "✓", "fail": "✗", "error": "?", "not_run": "-"}
_MARKUP_BYTES: Final = 900
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
    told: bool
    turns: Sequence[Turn]
    evidence: str | None
    checks: Sequence[CheckEntry]
    failure: FailureEntry | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One cell of the run strip. ``linked`` when the run itself is shown."""

    number: int
    kind: str
    word: str
    linked: bool

    @property
    def sign(self) -> str:
        return _SIGNS[self.kind]


@dataclass(frozen=True, slots=True, kw_only=True)
class TestView:
    """One test. ``more_cells`` counts the runs that the strip does not show."""

    __test__ = False  # the name is the domain's; pytest need not collect it

    entry: TestEntry
    standing: Standing
    plot: PlotRow
    turns: Sequence[Turn]
    history: Sequence[Turn]
    cells: Sequence[Cell]
    more_cells: int
    bad: Sequence[RunView]
    samples: Sequence[RunView]


class Views:
    """Makes the views of a report one test after another; only one test's runs are held."""

    def __init__(self, runs: RunSource, *, rooms: "Rooms", all_transcripts: bool) -> None:
        self._runs = runs
        self._rooms = rooms
        self._all_transcripts = all_transcripts

    def tests(self, group: GroupEntry) -> Iterator[TestView]:
        for test in group["tests"]:
            yield self._test(test)

    def _test(self, test: TestEntry) -> TestView:
        self._rooms.next_test()
        cells: list[Cell] = []
        bad: list[RunView] = []
        samples: list[RunView] = []
        more_cells = 0
        for run in self._runs.runs(test["id"]):
            linked = self._show(run, bad, samples)
            if len(cells) < CELLS:
                cells.append(_cell(run, linked=linked))
            else:
                more_cells += 1
        return TestView(
            entry=test,
            standing=standing(test),
            plot=plot_row(test),
            turns=_turns(({"role": "user", "content": turn} for turn in test["turns"]), TEXT_CHARS),
            history=_turns(test["history"], TEXT_CHARS),
            cells=cells,
            more_cells=more_cells,
            bad=bad,
            samples=samples,
        )

    def _show(self, run: RunEntry, bad: list[RunView], samples: list[RunView]) -> bool:
        if kind_of(run) in {"fail", "error"}:
            bad.append(self._rooms.bad_run(run))
            return True
        if kind_of(run) != "pass" or not (self._all_transcripts or len(samples) < SAMPLES):
            return False
        sample = self._rooms.sample(run)
        samples.extend([sample] if sample.told else [])
        return sample.told


def _cell(run: RunEntry, *, linked: bool) -> Cell:
    word = RUN_WORDS[run["outcome"]]
    return Cell(number=run["number"], kind=kind_of(run), word=word, linked=linked)


class Rooms:
    """The room for runs that went wrong, and that for samples of runs that did not."""

    def __init__(self, *, bad: Room, samples: Room) -> None:
        self._bad = bad
        self._samples = samples

    def next_test(self) -> None:
        self._bad.next_test()
        self._samples.next_test()

    def bad_run(self, run: RunEntry) -> RunView:
        return _run_view(run, self._bad)

    def sample(self, run: RunEntry) -> RunView:
        return _run_view(run, self._samples)


def _run_view(run: RunEntry, room: Room) -> RunView:
    """Show as much of a run as there is room for: all, shortened, or its reason alone."""
    for limit in (TEXT_CHARS, SHORT_CHARS):
        view = _told(run, limit)
        if room.take(_size(view)):
            return view
    return RunView(
        entry=run, kind=kind_of(run), told=False, turns=(), evidence=None, checks=(), failure=None
    )


def _told(run: RunEntry, limit: int) -> RunView:
    evidence = run["evidence"]
    return RunView(
        entry=run,
        kind=kind_of(run),
        told=True,
        turns=_turns(run["transcript"], limit, run["checks"]),
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
    """Estimate the bytes of a run, each character taken for its longest form ``&#39;``."""
    texts = [
        *(piece.text for turn in view.turns for piece in turn.pieces),
        view.evidence or "",
        *(check["wanted"] + check["found"] for check in view.checks),
        *(view.failure["message"] + view.failure["detail"] for _ in [0] if view.failure),
        *(vote["reason"] for vote in view.entry["votes"]),
        *(ruling["reason"] for trial in view.entry["trials"] for ruling in trial["rulings"]),
    ]
    return _MARKUP_BYTES + sum(len(text.encode(errors="replace")) for text in texts)
