"""What runs belong to: a digest, for each test, of all that decides how its runs come out."""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from typing import Any

from ci_judge.cache import digest
from ci_judge.model.suite import Case, Criterion, Scenario, Suite, Test
from ci_judge.settings import Settings

_HOW_IT_RUNS = frozenset(
    {
        *("ca_bundle", "calibration", "concurrency", "preflight", "price", "retries", "serve"),
        *("timeout", "trace", "usage"),
    }
)
"""Settings of targets and judges that change how a run is made, and nothing of what it is."""


def with_fingerprints(suite: Suite, settings: Settings) -> Suite:
    """Give every test the digest of itself, its target and the judge.

    Of settings it takes what the configuration says, not what variables hold: it is published.
    A case counts with its whole file, not with what that imports.
    """
    shared = digest(_shared(settings)).hex()

    @cache
    def content(file: str) -> str:
        return _content(settings.root / file)

    def of(test: Test) -> str:
        return digest(shared, _material(test, content)).hex()

    return replace(
        suite,
        scenarios=tuple(replace(each, fingerprint=of(each)) for each in suite.scenarios),
        cases=tuple(replace(each, fingerprint=of(each)) for each in suite.cases),
    )


def fingerprint(tests: Iterable[Test], *, seed: int | None) -> str:
    """Digest all tests of a run and the seed asked for, as hexadecimal text.

    The tests have their own fingerprints.
    """
    return digest([[test.id, test.fingerprint, test.gate.runs] for test in tests], seed).hex()


def _shared(settings: Settings) -> dict[str, Any]:
    shown = settings.public()
    return {
        "target": _without_manners(shown["target"]),
        "targets": {name: _without_manners(each) for name, each in shown["targets"].items()},
        "judge": _without_manners(shown["judge"]),
    }


def _without_manners(section: dict[str, Any] | None) -> dict[str, Any] | None:
    """Take a section's own keys; a body that is sent may use the same words for anything."""
    if section is None:
        return None
    kept = {key: value for key, value in section.items() if key not in _HOW_IT_RUNS}
    if "panel" in kept:
        kept["panel"] = [_without_manners(judge) for judge in kept["panel"]]
    return kept


def _material(test: Test, content: Callable[[str], str]) -> dict[str, Any]:
    gate = {key: str(value) for key, value in asdict(test.gate).items() if key != "labels"}
    if test.gate.labels is not None:
        gate["labels"] = str(test.gate.labels)
    return {"id": test.id, "gate": gate, "skip": test.skip} | dict(_parts(test, content))


def _parts(test: Test, content: Callable[[str], str]) -> Iterator[tuple[str, Any]]:
    match test:
        case Scenario():
            yield "turns", test.turns
            yield "history", [[past.role, past.content] for past in test.history]
            yield "expectations", [each.text for each in test.expectations]
            yield "checks", [[each.kind, each.operand, each.inside] for each in test.checks]
            yield "criterion", _criterion(test.criterion)
            yield "asks", test.target
        case Case():
            yield "requirement", test.requirement
            yield "file", content(test.file)


def _content(path: Path) -> str:
    """Digest a file; what is not there any more is like nothing that was."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""


def _criterion(criterion: Criterion) -> list[str | None]:
    return [criterion.id, criterion.title, criterion.description, criterion.instructions]
