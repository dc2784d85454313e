"""How a test stands against the same test of an earlier report, by its counts and its gate.

Whether a difference is more than chance is asked of all tests together (rules.gatekeeping).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from ci_judge.model.document import ChangeKind
from ci_judge.model.results import TestOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A test in one report: its gate's outcome, and the counts of a full sample.

    ``terms`` are what must be alike for two counts to mean the same, by what people call it;
    ``rules`` what must be for two outcomes to. ``curtailed``: there is no full sample, for it
    stopped early, so its counts depend on how it went and say little of its rate.
    """

    outcome: TestOutcome
    passes: int
    judged: int
    terms: Mapping[str, object]
    rules: Mapping[str, object] = field(default_factory=dict)
    curtailed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What became of a test; ``reasons`` say what keeps it from being compared.

    ``rates`` says that the two samples can be, even where the outcomes of the gates cannot.
    ``blocks``: it is named among what got worse by more than chance and fails the step.
    """

    kind: ChangeKind
    reasons: tuple[str, ...] = ()
    rates: bool = False
    blocks: bool = False


def change(
    now: Standing, was: Standing | None, *, differences: Sequence[str], weakened: bool = False
) -> Change:
    """Compare a test with its counterpart, None where there was none.

    ``differences`` are those between the two reports as wholes: another judge, say. ``weakened``
    says that its terms differ in what was dropped alone: whoever asks for less is compared still.
    """
    if was is None:
        return Change(kind="added")
    apart = (*differences, *_skipped(now, was))
    other = tuple(_other(now.terms, was.terms))
    reasons = (*apart, *other, *_other(now.rules, was.rules))
    rates = not apart and (weakened or not other) and _are_samples(now, was)
    if reasons:
        return Change(kind="not_comparable", reasons=reasons, rates=rates)
    if now.outcome != was.outcome and not _newly_waived(now, was):
        return Change(kind=_NEWLY[now.outcome], rates=rates)
    if now.curtailed or was.curtailed:
        return Change(kind="only_by_gate")
    return Change(kind=_by_rate(now, was), rates=rates)


def more_than_chance(found: Change, *, blocks: bool) -> Change:
    """Say that the test got worse by more than chance, unless its gate says more than that."""
    if found.kind in {"worse_within_noise", "not_comparable"}:
        found = replace(found, kind="significantly_worse")
    return replace(found, blocks=blocks)


def _are_samples(now: Standing, was: Standing) -> bool:
    curtailed = now.curtailed or was.curtailed
    return bool(now.judged and was.judged) and not curtailed


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

    A gate that failed before, too, is let off, unless it is named among what got worse. A test with
    nothing to compare with answers for its own gate, and one that could not be decided passes
    nowhere.
    """
    known = change.kind in _FAILED_BEFORE_TOO and not change.reasons and not change.blocks
    return "passed" if now == "failed" and known else now


_FAILED_BEFORE_TOO: frozenset[ChangeKind] = frozenset(
    {"significantly_worse", "worse_within_noise", "higher", "unchanged", "only_by_gate"}
)


def _skipped(now: Standing, was: Standing) -> list[str]:
    if now.outcome == was.outcome == "skipped":
        return []
    return [
        f"it {verb} skipped {where}"
        for standing, verb, where in ((was, "was", "there"), (now, "is", "here"))
        if standing.outcome == "skipped"
    ]


def _other(now: Mapping[str, object], was: Mapping[str, object]) -> list[str]:
    return [f"its {name} changed" for name in now if now[name] != was.get(name)]


def _by_rate(now: Standing, was: Standing) -> ChangeKind:
    if not (now.judged and was.judged):
        return "unchanged"
    rates = [Fraction(standing.passes, standing.judged) for standing in (now, was)]
    if rates[0] == rates[1]:
        return "unchanged"
    return "worse_within_noise" if rates[0] < rates[1] else "higher"
