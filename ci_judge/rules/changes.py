"""How a test stands against the same test of an earlier report, by its counts and its gate.

Only counts are laid side by side. Whether a difference is more than chance is not asked here, so
nothing here says "significant".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ci_judge.model.document import ChangeKind
from ci_judge.model.results import TestOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A test in one report: its gate's outcome and its counts.

    ``terms`` are what must be alike for two counts to mean the same, by what people call it.
    ``curtailed``: it stopped early, so its counts depend on how it went and say little of its rate.
    """

    outcome: TestOutcome
    passes: int
    judged: int
    terms: Mapping[str, object]
    curtailed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What became of a test; ``reasons`` say what keeps it from being compared."""

    kind: ChangeKind
    reasons: tuple[str, ...] = ()


def change(now: Standing, was: Standing | None, *, differences: Sequence[str]) -> Change:
    """Compare a test with its counterpart, None where there was none.

    ``differences`` are those between the two reports as wholes: another judge, say.
    """
    if was is None:
        return Change(kind="added")
    reasons = (*differences, *_skipped(now, was), *_other_terms(now, was))
    if reasons:
        return Change(kind="not_comparable", reasons=reasons)
    if now.outcome != was.outcome and not _newly_waived(now, was):
        return Change(kind=_NEWLY[now.outcome])
    if now.curtailed or was.curtailed:
        return Change(kind="only_by_gate")
    return Change(kind=_by_rate(now, was))


def _newly_waived(now: Standing, was: Standing) -> bool:
    """Tell whether it failed there, too, and is waived here.

    A waiver that ended is another thing: it was all that let the failure off.
    """
    return now.outcome == "waived" and was.outcome == "failed"


_NEWLY: Mapping[TestOutcome, ChangeKind] = {
    "failed": "newly_failing",
    "waived": "newly_failing",
    "error": "newly_undecided",
    "passed": "newly_passing",
}


def held_to(now: TestOutcome, change: Change) -> TestOutcome:
    """Say what a test counts as where only regressions may fail the step.

    A gate that failed before, too, is let off. A test with nothing to compare with answers for its
    own gate, and one that could not be decided passes nowhere.
    """
    known = change.kind in {"lower", "higher", "unchanged", "only_by_gate"}
    return "passed" if now == "failed" and known else now


def _skipped(now: Standing, was: Standing) -> list[str]:
    if now.outcome == was.outcome == "skipped":
        return []
    return [
        f"it {verb} skipped {where}"
        for standing, verb, where in ((was, "was", "there"), (now, "is", "here"))
        if standing.outcome == "skipped"
    ]


def _other_terms(now: Standing, was: Standing) -> list[str]:
    return [f"its {name} changed" for name in now.terms if now.terms[name] != was.terms.get(name)]


def _by_rate(now: Standing, was: Standing) -> ChangeKind:
    if not (now.judged and was.judged):
        return "unchanged"
    rates = [Fraction(standing.passes, standing.judged) for standing in (now, was)]
    if rates[0] == rates[1]:
        return "unchanged"
    return "lower" if rates[0] < rates[1] else "higher"
