"""Rules of a report that ask for less than those of its baseline."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from ci_judge.file_schema.values import exact_rate
from ci_judge.model.document import JudgeEntry, JudgeTermsEntry, TestEntry, WeakerEntry
from ci_judge.model.suite import GateRule
from ci_judge.rules.weakening import TestRules, Weaker, weaker_rules
from ci_judge.workflows.recorded_gates import recorded_rule
from ci_judge.workflows.sound_reports import MOST_RUNS

_STRICTEST_FIRST = ("all", "majority", "any")


def weaker_entries(
    tests: Sequence[TestEntry],
    before: Mapping[str, TestEntry],
    *,
    judges: tuple[JudgeEntry | None, JudgeEntry | None],
) -> list[WeakerEntry]:
    """Find the weakened rules, each with all tests that it is weaker for.

    ``before`` are the tests of the baseline by id, ``judges`` the baseline's judge and this one,
    None where another one is meant.
    """
    found: dict[Weaker, list[str]] = {weaker: [] for weaker in _weaker_judge(*judges)}
    for test in tests:
        was = before.get(test["id"])
        for weaker in weaker_rules(rules_of(was), rules_of(test)) if was else ():
            found.setdefault(weaker, []).append(test["id"])
    return [
        {"kind": weaker.kind, "was": weaker.was, "now": weaker.now, "tests": ids}
        for weaker, ids in found.items()
    ]


def rules_of(test: TestEntry) -> TestRules:
    """Give what a test is held to, as its entry tells."""
    return TestRules(
        gate=_gate(test),
        asked=(test["turns"], test["history"], test["requirement"]),
        expected=tuple(test["expected"]),
        phrases=tuple(tuple(phrases) for phrases in test["phrases"]),
        checks=tuple(test["checks"]),
        waived=test["waiver"] is not None,
        advisory=test["advisory"],
        skipped=test["result"] == "skipped",
    )


def _gate(test: TestEntry) -> GateRule | None:
    if not 0 < test["planned"] <= MOST_RUNS:
        return None
    try:
        return recorded_rule(test)
    except (ValueError, ZeroDivisionError):
        return None  # it is from elsewhere, and no gate of ours


def _weaker_judge(was: JudgeEntry | None, now: JudgeEntry | None) -> Iterator[Weaker]:
    if was is None or now is None:
        return
    if not (was["panel"] or now["panel"]):
        yield from _milder(was, now)
    for place, (old, new) in enumerate(zip(was["panel"], now["panel"], strict=False), start=1):
        yield from _milder(old, new, named=f"judge {place}: ")
    rules = (was["panel_rule"], now["panel_rule"])
    places = [_STRICTEST_FIRST.index(rule) for rule in rules if rule in _STRICTEST_FIRST]
    if len(places) == len(rules) and places[1] > places[0]:
        yield _judge(f"panel_rule {rules[0]}", str(rules[1]))


def _milder(was: JudgeTermsEntry, now: JudgeTermsEntry, *, named: str = "") -> Iterator[Weaker]:
    """Compare what one judge goes by; what stands beside a panel holds in its judges already."""
    if now["threshold"] < was["threshold"]:
        yield _judge(f"{named}threshold {was['threshold']:g}", f"{now['threshold']:g}")
    if now["repetitions"] < was["repetitions"]:
        yield _judge(f"{named}repetitions {was['repetitions']}", str(now["repetitions"]))
    if _share(now["minimum_pass_rate"]) < _share(was["minimum_pass_rate"]):
        what = f"{named}minimum_pass_rate {was['minimum_pass_rate']}"
        yield _judge(what, now["minimum_pass_rate"])


def _judge(was: str, now: str) -> Weaker:
    return Weaker(kind="judge", was=was, now=now)


def _share(text: str) -> Fraction:
    try:
        return exact_rate(text).value
    except ValueError:
        return Fraction(0)
