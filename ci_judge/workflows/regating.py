"""``ci-judge regate``: other gates over the runs of a report, without a request."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from ci_judge.document.corrections import calibrated_labels, with_corrections
from ci_judge.document.merging import counted, tests_of, without_a_part
from ci_judge.document.report import gate_entry
from ci_judge.engine.scheduler import skipped
from ci_judge.errors import ExitCode, InvalidInput, Place, Problem
from ci_judge.model.calibration import LabelCounts
from ci_judge.model.document import GroupEntry, ReportDocument, TestEntry
from ci_judge.model.suite import GateKind, GateRule
from ci_judge.rules.gates import decide, reachability
from ci_judge.rules.reasons import explained
from ci_judge.rules.regating import GateChange, changed_rule, gate_words_of
from ci_judge.rules.rounding import written
from ci_judge.rules.settling import settle_outcomes
from ci_judge.rules.waiving import waived_outcome
from ci_judge.workflows.comparing import ComparingRules, compared
from ci_judge.workflows.recorded_gates import (
    recorded_defaults,
    recorded_reasons,
    recorded_rule,
    recorded_tally,
)
from ci_judge.workflows.recorded_settings import fail_on_of

_DIGITS = 6
_SHOWN_TESTS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Regating:
    """What is asked: the change, and whether tests with gates of their own are changed too."""

    change: GateChange
    all_tests: bool


def regate_report(document: ReportDocument, asked: Regating, *, place: Path) -> ReportDocument:
    """Give the report as its runs are under other gates. Nothing of the runs changes.

    Earlier attempts were held to the old gates, so nothing is told of them.
    Raises InvalidInput where a new gate cannot be applied to the runs that are there: it could
    not be passed by so many, or a test that stopped early leaves it open.
    """
    regater = _Regater(
        asked=asked, settings=document["settings"], labels=calibrated_labels(document)
    )
    groups: list[GroupEntry] = [
        {**group, "tests": [{**regater.test(test), "earlier": []} for test in group["tests"]]}
        for group in document["groups"]
    ]
    if regater.refused:
        where = Place(file=str(place))
        raise InvalidInput(*(replace(each, place=where) for each in regater.problems()))
    regated: ReportDocument = {
        **document,
        "summary": {**counted(document["summary"], tests_of(groups)), "regressions": None},
        "baseline": None,
        "run": {**document["run"], "rerun": None},
        "settings": _settings(document["settings"], asked.change),
        "warnings": [*regater.warnings(), *document["warnings"]],
        "groups": groups,
    }
    return _settled(with_corrections(regated))


class _Regater:
    """Changes tests one by one, and remembers what was changed and what cannot be."""

    def __init__(
        self, *, asked: Regating, settings: Mapping[str, Any], labels: LabelCounts | None
    ) -> None:
        self._asked = asked
        self._defaults = None if asked.all_tests else recorded_defaults(settings)
        self._labels = labels
        self._changes: Counter[tuple[str, str]] = Counter()
        self._kept: list[str] = []
        self.refused: dict[Problem, list[str]] = {}

    def test(self, test: TestEntry) -> TestEntry:
        try:
            rule = recorded_rule(test)
        except (ValueError, ZeroDivisionError) as error:
            self._refuse(test, Problem(message=f"cannot be what its gate is: {error}"))
            return test
        new = rule
        if not _is_a_single_call(test, rule):
            new = changed_rule(rule, self._asked.change, self._defaults)
        if new != rule:
            new = replace(new, labels=self._labels if new.kind is GateKind.CORRECTED else None)
        if new == rule:
            self._kept.append(test["id"])
            return {**test, "change": None}
        is_skipped = test["result"] == "skipped"
        problem = None if is_skipped else _obstacle(new, test)
        if problem is not None:
            self._refuse(test, problem)
            return test
        self._changes[gate_words_of(rule), gate_words_of(new)] += not is_skipped
        return self._decided(test, rule, new)

    def _decided(self, test: TestEntry, rule: GateRule, new: GateRule) -> TestEntry:
        sampled_to_stop = rule.early_stop or rule.kind is GateKind.ADAPTIVE
        new = replace(new, min_runs=None, early_stop=sampled_to_stop)
        gate = decide(new, recorded_tally(test))
        gate = explained(gate, recorded_reasons(test))
        if test["result"] == "skipped":
            gate = skipped(gate, test["skip_reason"] or "")
        if gate.outcome == "error" and test["stopped"]:
            self._refuse(test, _left_open(test, new))
        return {
            **test,
            "result": waived_outcome(gate.outcome, in_force=test["waiver"] is not None),
            "rate": None if gate.rate is None else round(gate.rate, _DIGITS),
            "interval": [round(gate.interval.low, _DIGITS), round(gate.interval.high, _DIGITS)],
            "gate": gate_entry(new, gate),
            "change": None,
            "regated_from": test["regated_from"] or gate_words_of(rule),
        }

    def _refuse(self, test: TestEntry, problem: Problem) -> None:
        self.refused.setdefault(problem, []).append(test["id"])

    def problems(self) -> Iterator[Problem]:
        """Give what stands in the way, once for all tests of which it is the same."""
        for problem, test_ids in self.refused.items():
            more = f" and {len(test_ids) - 1} more" if len(test_ids) > 1 else ""
            yield replace(problem, message=f'"{test_ids[0]}"{more}: {problem.message}')

    def warnings(self) -> Iterator[str]:
        """Say which gates were put in the place of which, and which stayed."""
        for (before, after), tests in (+self._changes).items():
            what = "1 test has" if tests == 1 else f"{tests} tests have"
            yield f"re-gated without a new run: {what} the gate {after} in the place of {before}"
        if not self._changes:
            yield "re-gated without a new run: no test has another gate than before"
        if self._kept:
            shown = ", ".join(f'"{test_id}"' for test_id in self._kept[:_SHOWN_TESTS])
            more = len(self._kept) - _SHOWN_TESTS
            others = f" and {more} more" if more > 0 else ""
            yield f"gates that stayed as they were: {shown}{others} (see --all-tests)"


def _is_a_single_call(test: TestEntry, rule: GateRule) -> bool:
    """Tell whether it is a case without ``runs``: no gate of the section ``run`` applies to it."""
    alone = GateRule(kind=GateKind.RATE, runs=1, threshold=Fraction(1))
    return test["kind"] == "case" and rule == alone


def _obstacle(new: GateRule, test: TestEntry) -> Problem | None:
    if new.kind is GateKind.CORRECTED and not test["expected"]:
        return Problem(
            message="the gate corrected says nothing of it: labels are of judged responses",
            hint="give it another gate",
        )
    if new.kind is GateKind.CORRECTED and new.labels is None:
        return Problem(
            message="the gate corrected needs a calibration of the judge that answered: the report "
            "has none",
            hint="set judge.calibration to what ci-judge calibrate wrote, and run it again",
        )
    if new.kind is GateKind.ADAPTIVE:
        return Problem(
            message="an adaptive gate decides while it runs, so it needs runs of its own",
            hint="name another --gate, or run it again",
        )
    return reachability(new)


def _left_open(test: TestEntry, new: GateRule) -> Problem:
    return Problem(
        message=f"it was stopped after {test['stopped_after']} of {test['planned']} "
        f"runs, which leave the gate {gate_words_of(new)} open",
        hint="run it again with this gate",
    )


def _settings(settings: dict[str, Any], change: GateChange) -> dict[str, Any]:
    section = settings.get("run")
    if not isinstance(section, dict):
        return settings
    texts = {
        "gate": None if change.wanted_kind is None else change.wanted_kind.value,
        "threshold": None if change.threshold is None else written(change.threshold),
        "misses": change.misses,
        "confidence": None if change.confidence is None else written(change.confidence),
    }
    given = {key: text for key, text in texts.items() if text is not None}
    return {**settings, "run": {**section, **given}}


def _settled(document: ReportDocument) -> ReportDocument:
    fail_on = fail_on_of(document["settings"])
    tests = tests_of(document["groups"])
    outcomes = [test["result"] for test in tests if not test["advisory"]]
    interrupted = ExitCode.INTERRUPTED if document["run"]["interrupted"] else None
    if document["exit_code"] == ExitCode.TERMINATED:
        interrupted = ExitCode.TERMINATED
    settlement = settle_outcomes(outcomes, fail_on=fail_on, interrupted=interrupted)
    settled: ReportDocument = {
        **document,
        "status": settlement.status if tests else document["status"],
        "exit_code": int(settlement.exit_code),
        "headline": settlement.headline,
    }
    held = compared(settled, None, rules=ComparingRules(fail_on=fail_on))
    return without_a_part(held, lacks=bool(document["run"]["missing_shards"]))
