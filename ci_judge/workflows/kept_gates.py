"""Tests that keep what they say of their gate, whatever a flag says."""

from collections.abc import Iterable, Iterator

from ci_judge.errors import Problem
from ci_judge.model.suite import Case, Test
from ci_judge.settings import Settings


def kept_gates(settings: Settings, tests: Iterable[Test]) -> Iterator[Problem]:
    """Say for each flag of a gate that it changes nothing for some of the tests to run."""
    flags = {
        key: place.file
        for key, place in settings.gate_places.items()
        if key in _SAID and place.file.startswith("--")
    }
    to_run = [test for test in tests if test.skip is None]
    for key, flag in flags.items():
        kept = [test for test in to_run if _said(settings, test, key)]
        if kept:
            yield Problem(message=_message(flag, key, kept, of=len(to_run)))


_SAID = frozenset({"runs", "threshold", "gate"})


def _said(settings: Settings, test: Test, key: str) -> bool:
    """Tell whether the gate of a test has another value than the usual one."""
    usual, own = settings.gate_defaults(), test.gate
    if key == "runs":
        return (own.min_runs, own.runs) != (usual.min_runs, usual.runs)
    if key == "threshold":
        return own.threshold != usual.threshold
    return own.kind != usual.kind


def _message(flag: str, key: str, kept: list[Test], *, of: int) -> str:
    more = f" and {len(kept) - 1} more" if len(kept) > 1 else ""
    of_one_run = any(isinstance(test, Case) and test.gate.runs == 1 for test in kept)
    why = ' (a case that names no runs makes one: write @case("…", runs=10))' if of_one_run else ""
    tests = f"{of:,} test" if of == 1 else f"{of:,} tests"
    keep = "keeps its" if len(kept) == 1 else "keep their"
    return (
        f"{flag} changes nothing for {len(kept):,} of {tests}, which {keep} own {key}: "
        f'"{kept[0].id}"{more}{why}'
    )
