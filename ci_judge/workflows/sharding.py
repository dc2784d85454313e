"""Takes one part of the tests, so that several commands share a suite: the CI's own matrix."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from ci_judge.cache import digest
from ci_judge.errors import InvalidInput, Place, Problem
from ci_judge.model.document import RunEntry
from ci_judge.model.suite import Suite
from ci_judge.rules.draws import DRAW_BITS
from ci_judge.rules.shards import Shard, deal, deal_by_duration, read_shard
from ci_judge.settings import Settings
from ci_judge.workflows.render import read_report
from ci_judge.workflows.surroundings import Surroundings

WITHOUT_DRAWS: Final = 0
"""The seed of shards outside a CI whose judges draw nothing: any number, if it is the same."""

_LONGEST_MILLISECONDS = 10**9
_GITLAB_COUNTS = ("CI_NODE_INDEX", "CI_NODE_TOTAL")
_OF_A_MATRIX = re.compile(r".*: \[.*\]", re.DOTALL)
"""What GitLab calls the jobs of ``parallel: matrix``; those of ``parallel: 3`` end with 1/3."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One shard of a suite. ``whole`` holds the tests of all shards, ``dealt`` says whose each is.

    ``seed`` is the same in all shards, None where the configuration has one. ``asked_by`` names
    who asked for a shard where it was not the user.
    """

    shard: Shard
    whole: Suite
    dealt: Mapping[str, int]
    seed: int | None
    asked_by: str | None = None

    def suite(self) -> Suite:
        """Give the tests of this shard, with their criteria and those that no test covers."""
        scenarios = tuple(each for each in self.whole.scenarios if self._is_mine(each.id))
        covered = {scenario.group for scenario in self.whole.scenarios}
        mine = {scenario.group for scenario in scenarios}
        return replace(
            self.whole,
            criteria=tuple(
                each for each in self.whole.criteria if each.id in mine or each.id not in covered
            ),
            scenarios=scenarios,
            cases=tuple(each for each in self.whole.cases if self._is_mine(each.id)),
        )

    def _is_mine(self, test_id: str) -> bool:
        return self.dealt[test_id] == self.shard.index


def take_part(settings: Settings, surroundings: Surroundings, suite: Suite) -> Part | None:
    """Deal the selected tests, and say which this command runs; None for all of them.

    Raises InvalidInput for a shard, a seed or a report to balance by that cannot be used.
    """
    environment = surroundings.environment
    given = settings.run.shard
    shard = _gitlab_shard(environment) if given is None else read_shard(given)
    if shard is None:
        return None
    return Part(
        shard=shard,
        whole=suite,
        dealt=_dealt(settings, suite, shard.count),
        seed=_shared_seed(settings, environment),
        asked_by=" and ".join(_GITLAB_COUNTS) if given is None else None,
    )


def _gitlab_shard(environment: Mapping[str, str]) -> Shard | None:
    """Read what GitLab sets for ``parallel``; a job that is alone has no shard.

    Nor has one of a matrix: it is counted alike, and is to do the same elsewhere, not a part of it.
    """
    index, total = (environment.get(name, "").strip() for name in _GITLAB_COUNTS)
    if not environment.get("GITLAB_CI") or total in {"", "1"}:
        return None
    if _OF_A_MATRIX.fullmatch(environment.get("CI_JOB_NAME", "")):
        return None
    try:
        return read_shard(f"{index}/{total}")
    except ValueError as error:
        place = Place(file=" and ".join(_GITLAB_COUNTS))
        message = f'"{index}" of "{total}" is no shard: it {error}'
        hint = "give --shard; 1/1 runs every test in every job"
        raise InvalidInput(Problem(message=message, hint=hint, place=place)) from error


def _dealt(settings: Settings, suite: Suite, count: int) -> dict[str, int]:
    ids = [test.id for test in suite.tests]
    if settings.run.balance is None:
        return deal(ids, count)
    return deal_by_duration(ids, _durations(settings.root / settings.run.balance), count)


def _durations(path: Path) -> dict[str, int]:
    """Add up how long the runs of each test took: tests take turns, so their spans say little."""
    report = read_report(path)
    tests = (test for group in report.document["groups"] for test in group["tests"])
    took = {test["id"]: sum(map(_milliseconds, report.runs.runs(test["id"]))) for test in tests}
    return {test_id: milliseconds for test_id, milliseconds in took.items() if milliseconds}


def _milliseconds(run: RunEntry) -> int:
    seconds = min(max(run["duration_seconds"], 0.0), _LONGEST_MILLISECONDS / 1000)
    return round(seconds * 1000)


def _shared_seed(settings: Settings, environment: Mapping[str, str]) -> int | None:
    """Derive a seed that all shards of a CI run come to by themselves."""
    if settings.seed is not None:
        return None
    name = _ci_run(environment)
    if name is not None:
        return int.from_bytes(digest("seed", *name)[:8]) >> (64 - DRAW_BITS)
    judges = settings.judge.members if settings.judge else ()
    if any(judge.vote_policy().mode == "sample" for judge in judges):
        raise InvalidInput.of(
            "shards draw alike in sample mode only if they have the same seed, "
            "and no CI run is known to derive it from",
            hint="give all of them the same --seed",
        )
    return WITHOUT_DRAWS


def _ci_run(environment: Mapping[str, str]) -> tuple[str, ...] | None:
    """Name the CI run, whichever attempt: where some jobs run again the others' reports stay."""
    if environment.get("GITHUB_RUN_ID"):
        return ("github", environment["GITHUB_RUN_ID"])
    if environment.get("CI_PIPELINE_ID"):
        return ("gitlab", environment["CI_PIPELINE_ID"])
    return None
