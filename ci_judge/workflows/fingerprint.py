"""What the runs in a ledger belong to: a digest of all that decides how they come out."""

import hashlib
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ci_judge.cache import digest
from ci_judge.model.suite import Case, Criterion, Scenario, Test
from ci_judge.settings import Settings
from ci_judge.workflows.planning import Plan

_HOW_IT_RUNS = frozenset(
    {
        *("ca_bundle", "concurrency", "preflight", "price", "retries", "serve", "timeout"),
        *("trace", "usage"),
    }
)
"""Settings of targets and judges that change how a run is made, and nothing of what it is."""


def fingerprint(settings: Settings, plan: Plan) -> str:
    """Digest the tests, the targets, the judge and the seed asked for, as hexadecimal text.

    Of settings it takes what the configuration says, not what variables hold: it is published.
    A case counts with its whole file, not with what that imports.
    """
    shown = settings.public()
    material = {
        "target": _without_manners(shown["target"]),
        "targets": {name: _without_manners(each) for name, each in shown["targets"].items()},
        "judge": _without_manners(shown["judge"]),
        "seed": shown["run"]["seed"],
        "tests": [_material(test, settings) for test in plan.tests],
    }
    return digest(material).hex()


def _without_manners(section: dict[str, Any] | None) -> dict[str, Any] | None:
    """Take a section's own keys; a body that is sent may use the same words for anything."""
    if section is None:
        return None
    kept = {key: value for key, value in section.items() if key not in _HOW_IT_RUNS}
    if "panel" in kept:
        kept["panel"] = [_without_manners(judge) for judge in kept["panel"]]
    return kept


def _material(test: Test, settings: Settings) -> dict[str, Any]:
    gate = {key: str(value) for key, value in asdict(test.gate).items()}
    return {"id": test.id, "gate": gate, "skip": test.skip} | dict(_parts(test, settings))


def _parts(test: Test, settings: Settings) -> Iterator[tuple[str, Any]]:
    match test:
        case Scenario():
            yield "turns", test.turns
            yield "history", [[past.role, past.content] for past in test.history]
            yield "expectations", [each.text for each in test.expectations]
            yield "checks", [[each.kind, each.operand, each.inside] for each in test.checks]
            yield "criterion", _criterion(test.criterion)
            yield "target", test.target
        case Case():
            yield "requirement", test.requirement
            yield "file", _content(settings.root / test.file)


def _content(path: Path) -> str:
    """Digest a file; what is not there any more is like nothing that was."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""


def _criterion(criterion: Criterion) -> list[str | None]:
    return [criterion.id, criterion.title, criterion.description, criterion.instructions]
