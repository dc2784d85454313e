"""What of many comparisons is more than chance: the suite, then its criteria, then their tests.

With fifty tests and no change at all, one of them looks worse two times in three. So what may fail
a step is asked from the top: only where the suite as a whole got worse are criteria asked, and only
where a criterion did are its tests. On each floor Holm's correction keeps the chance of any false
alarm at alpha; what is merely listed is corrected by Benjamini and Hochberg.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ci_judge.rules.boschloo import boschloo
from ci_judge.rules.detectable import detectable_drop
from ci_judge.rules.differences import Counts
from ci_judge.rules.multiplicity import benjamini_hochberg, holm
from ci_judge.rules.stratified import Pair, together


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedTest:
    """A test with a full sample on both sides. Only one that is ``gating`` may fail a step."""

    criterion: str
    was: Counts
    now: Counts
    gating: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class TestFinding:
    """What is known of one test's drop.

    ``p`` is of this test alone. ``adjusted_p`` at most alpha lists it as worse by more than chance;
    ``blocking_p`` at most alpha names it as what fails the step, None where it may not.
    """

    __test__ = False  # the name is the domain's; pytest need not collect it

    p: float
    adjusted_p: float
    blocking_p: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TogetherFinding:
    """What is known of several gating tests together: of a criterion, or (None) of the suite.

    ``blocking_p`` at most alpha says that they got worse by more than chance. ``detectable`` is the
    drop of all of them that would probably have been seen, None where not even the largest.
    """

    criterion: str | None
    tests: int
    was: Counts
    now: Counts
    p: float
    mid_p: float
    blocking_p: float
    detectable: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """``suite`` is None where no gating test was compared; ``tests`` are by id."""

    suite: TogetherFinding | None
    criteria: tuple[TogetherFinding, ...]
    tests: Mapping[str, TestFinding]


def findings(compared: Mapping[str, ComparedTest], *, alpha: float, whole: bool = True) -> Findings:
    """Test what was compared, from the suite down. ``alpha`` is what the detectable drop is for.

    Where it is not the ``whole`` suite nothing can block: tests are listed alone.
    """
    gating = [test for test in compared.values() if test.gating and whole]
    suite = _together(gating, criterion=None, alpha=alpha) if gating else None
    criteria = _criteria(gating, suite, alpha=alpha)
    return Findings(suite=suite, criteria=criteria, tests=_tests(compared, criteria))


def _criteria(
    gating: Sequence[ComparedTest], suite: TogetherFinding | None, *, alpha: float
) -> tuple[TogetherFinding, ...]:
    floor = suite.p if suite else 1.0
    names = dict.fromkeys(test.criterion for test in gating)
    alone = [
        _together([t for t in gating if t.criterion == name], criterion=name, alpha=alpha)
        for name in names
    ]
    adjusted = holm([each.p for each in alone])
    return tuple(
        TogetherFinding(
            criterion=each.criterion,
            tests=each.tests,
            was=each.was,
            now=each.now,
            p=each.p,
            mid_p=each.mid_p,
            blocking_p=max(floor, p),
            detectable=each.detectable,
        )
        for each, p in zip(alone, adjusted, strict=True)
    )


def _together(
    tests: Sequence[ComparedTest], *, criterion: str | None, alpha: float
) -> TogetherFinding:
    found = together([Pair(was=test.was, now=test.now) for test in tests])
    was, now = _sum([test.was for test in tests]), _sum([test.now for test in tests])
    return TogetherFinding(
        criterion=criterion,
        tests=len(tests),
        was=was,
        now=now,
        p=found.p,
        mid_p=found.mid_p,
        blocking_p=found.p,
        detectable=detectable_drop(was, runs=now.judged, alpha=alpha),
    )


def _sum(samples: Sequence[Counts]) -> Counts:
    return Counts(
        passes=sum(each.passes for each in samples), judged=sum(each.judged for each in samples)
    )


def _tests(
    compared: Mapping[str, ComparedTest], criteria: Sequence[TogetherFinding]
) -> dict[str, TestFinding]:
    floors = {each.criterion: each.blocking_p for each in criteria}
    p_values = {test_id: boschloo(test.was, test.now) for test_id, test in compared.items()}
    gating = [
        test_id for test_id, test in compared.items() if test.gating and test.criterion in floors
    ]
    blocking = dict(zip(gating, holm([p_values[each] for each in gating]), strict=True))
    listed = benjamini_hochberg(list(p_values.values()))
    return {
        test_id: TestFinding(
            p=p,
            adjusted_p=adjusted,
            blocking_p=max(blocking[test_id], floors[compared[test_id].criterion])
            if test_id in blocking
            else None,
        )
        for (test_id, p), adjusted in zip(p_values.items(), listed, strict=True)
    }
