"""Goes on from an earlier attempt at the same commit, instead of drawing its verdicts again."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from ci_judge.document.merging import tests_of
from ci_judge.engine.course import Course
from ci_judge.engine.ledger import Ledger
from ci_judge.engine.panel_votes import PanelVotes
from ci_judge.file_schema import MOST_RUNS
from ci_judge.model.document import (
    AttemptEntry,
    EarlierResultEntry,
    ReportDocument,
    RerunEntry,
    RunEntry,
    TestEntry,
)
from ci_judge.model.judging import VERDICTS, Run
from ci_judge.model.results import TestOutcome
from ci_judge.model.suite import GateRule, Suite, Test
from ci_judge.rules.continuing import Precedent, rerun_sentence, topped_up
from ci_judge.rules.gates import boundary, decide
from ci_judge.settings import Settings
from ci_judge.version import __version__
from ci_judge.workflows.earlier_attempts import (
    EarlierAttempt,
    FoundEarlier,
    NoEarlierAttempt,
    attempts_so_far,
    results_so_far,
)
from ci_judge.workflows.planning import Plan
from ci_judge.workflows.recorded_gates import recorded_rule, recorded_tally
from ci_judge.workflows.render import RecordedReport
from ci_judge.workflows.resuming import no_room, sound_run


@dataclass(slots=True, kw_only=True)
class Continuation:
    """What a run takes over from an earlier attempt, and what its report says of it.

    ``seed`` is that of the draws, None where nothing is taken over; ``doubt`` is a warning.
    """

    attempt: int
    since: int | None
    earlier: list[AttemptEntry]
    results: Mapping[str, list[EarlierResultEntry]]
    anew: str | None
    seed: int | None = None
    doubt: str | None = None
    kept: dict[str, list["_Kept"]] = field(default_factory=dict)
    carried: dict[str, int] = field(default_factory=dict)

    def hand_over(
        self, ledger: Ledger, *, count: Callable[[Run], bool], redacts: Callable[[Run], bool]
    ) -> None:
        """Give every run that is taken over to ``count``, which says whether it is wanted.

        ``redacts`` tells the runs whose evidence the ledger will not show whole: what is secret now
        may not have been known to be then. Raises InvalidInput where there is no room to write it
        down.
        """
        try:
            for test_id, runs in self.kept.items():
                wanted = [(run, entry) for run, entry in runs if count(run)]
                for run, entry in wanted:
                    ledger.append({**entry, "redacted": entry["redacted"] or redacts(run)})
                self.carried[test_id] = len(wanted)
        except OSError as error:
            raise no_room(error) from error
        self.kept.clear()

    def told(self, document: ReportDocument) -> ReportDocument:
        """Give the report with what it owes to earlier attempts."""
        carried = sum(self.carried.values())
        rerun: RerunEntry = {
            "attempt": self.attempt,
            "earlier": self.earlier,
            "carried_runs": carried,
            "anew": self.anew,
            "sentence": rerun_sentence(
                since=self.since,
                carried=carried,
                made=document["summary"]["runs_made"] - carried,
                anew=self.anew,
            ),
        }
        return {
            **document,
            "run": {**document["run"], "rerun": rerun},
            "groups": [
                {**group, "tests": [self._told_of(test) for test in group["tests"]]}
                for group in document["groups"]
            ],
        }

    def _told_of(self, test: TestEntry) -> TestEntry:
        return {
            **test,
            "earlier": self.results.get(test["id"], []),
            "carried_runs": self.carried.get(test["id"], 0),
        }


_Kept: TypeAlias = tuple[Run, RunEntry]


def go_on_from(
    found: FoundEarlier, plan: Plan, settings: Settings, *, fresh: bool
) -> tuple[Plan, Continuation]:
    """Say what is taken over, and give the plan for the rest.

    Only runs with a verdict are, and only of tests whose fingerprint is still the same. ``fresh``
    takes over nothing, but what came before is told all the same.
    """
    if isinstance(found, NoEarlierAttempt):
        return plan, Continuation(
            attempt=found.attempt, since=None, earlier=[], results={}, anew=found.reason
        )
    document = found.report.document
    earlier = attempts_so_far(document)
    since = earlier[-1]["attempt"]
    continuation = Continuation(
        attempt=found.attempt or since + 1,
        since=since,
        earlier=earlier,
        results=results_so_far(document),
        anew="as asked (fresh)" if fresh else _why_anew(document, since, settings),
    )
    if continuation.anew is not None:
        return plan, continuation
    return _taking_over(found, plan, settings, continuation)


def _taking_over(
    found: EarlierAttempt, plan: Plan, settings: Settings, continuation: Continuation
) -> tuple[Plan, Continuation]:
    report = found.report
    entries = {test["id"]: test for test in tests_of(report.document["groups"])}
    same = [test for test in plan.tests if _is_same(test, entries.get(test.id))]
    knows = _who_knows(settings)
    gates: dict[str, GateRule] = {}
    for test in same:
        kept = list(_kept(report, test, knows))
        continuation.kept[test.id] = kept
        gates[test.id] = _gate(test, entries[test.id], attempt=continuation.attempt)
    continuation.anew = _others(plan, gates, entries, continuation.since)
    if any(continuation.kept.values()):
        continuation.doubt = found.doubt
        continuation.seed = report.document["run"]["seed"]
    settled = {
        test_id for test_id, gate in gates.items() if _settled(gate, continuation.kept[test_id])
    }
    suite = _under(gates, plan.suite)
    return replace(plan, suite=suite, settled=frozenset(settled)), continuation


def _is_same(test: Test, entry: TestEntry | None) -> bool:
    return entry is not None and test.skip is None and entry["fingerprint"] == test.fingerprint


def _who_knows(settings: Settings) -> Callable[[Run], bool]:
    """Tell the runs that this panel judged; a judge alone is in the fingerprint."""
    panel = settings.judge.panel if settings.judge else ()
    return PanelVotes(len(panel)).knows if panel else lambda _: True


def _kept(
    report: RecordedReport, test: Test, knows: Callable[[Run], bool]
) -> Iterator[tuple[Run, RunEntry]]:
    for entry in report.runs.runs(test.id):
        run = sound_run(entry)
        if run is not None and run.outcome in VERDICTS and run.test_id == test.id and knows(run):
            yield run, entry


def _gate(test: Test, entry: TestEntry, *, attempt: int) -> GateRule:
    """Give the gate under which a test goes on; no attempt had more runs than it was configured."""
    precedent = Precedent(outcome=_outcome(entry), planned=entry["planned"])
    most = min(MOST_RUNS, attempt * test.gate.configured_runs)
    return topped_up(test.gate, precedent, most=most)


def _outcome(entry: TestEntry) -> TestOutcome:
    """Give what the gate said, whatever a waiver made of it."""
    return decide(recorded_rule(entry), recorded_tally(entry)).outcome


def _settled(gate: GateRule, kept: list[_Kept]) -> bool:
    """Tell whether the runs that are taken over are all that the test needs."""
    course = Course(boundary(gate))
    for run, _ in kept:
        course.restore(run.number, run.outcome, certain=run.certain)
    return course.complete


def _under(gates: Mapping[str, GateRule], suite: Suite) -> Suite:
    return replace(
        suite,
        scenarios=tuple(
            replace(test, gate=gates.get(test.id, test.gate)) for test in suite.scenarios
        ),
        cases=tuple(replace(test, gate=gates.get(test.id, test.gate)) for test in suite.cases),
    )


def _others(
    plan: Plan,
    gates: Mapping[str, GateRule],
    entries: Mapping[str, TestEntry],
    since: int | None,
) -> str | None:
    """Say how many tests cannot go on, None where all can."""
    others = [test for test in plan.tests if test.id not in gates and test.skip is None]
    if not others:
        return None
    unknown = sum(test.id not in entries for test in others)
    if unknown == len(others):
        return f"{_tests(unknown)} not in the report of attempt {since}"
    changed = "their texts, target, judge or settings are others than"
    return f"{_tests(len(others))} not as in attempt {since}: {changed} then"


def _tests(count: int) -> str:
    return "1 test is" if count == 1 else f"{count:,} tests are"


def _why_anew(document: ReportDocument, since: int, settings: Settings) -> str | None:
    """Say why nothing of a report can be taken over, None where some of it may be."""
    version, seed = document["tool"]["version"], document["run"]["seed"]
    if version != __version__:
        return f"attempt {since} was judged by CI Judge {version}, this is {__version__}"
    if settings.seed not in (None, seed):
        return f"attempt {since} drew with the seed {seed}, and {settings.seed} is asked for"
    return None
