"""The settings of one command, as everything else uses them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ci_judge.errors import Place
from ci_judge.file_schema import least_runs, most_runs
from ci_judge.judges.settings import JudgeSettings
from ci_judge.model.judging import VotePolicy
from ci_judge.model.suite import GateDefaults, GateKind
from ci_judge.settings.sections import (
    BudgetSettings,
    ConfigFile,
    CriterionSettings,
    GenerateSettings,
    ReportSettings,
    RunSettings,
    SuiteSettings,
)
from ci_judge.settings.variables import REFERENCE, templated_paths
from ci_judge.targets.settings import TargetSettings

HIDDEN = "***"
_USER_INFO = re.compile(r"(?<=://)[^/?#@\s]*@")
_SECRET_KEYS = frozenset({"headers", "env", "api_key"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The configuration with every ``${NAME}`` filled in.

    ``root`` is the folder of the configuration file ``file``; relative paths in ``suite`` start
    there. ``report_dir`` is absolute. ``used_variables`` are the names of the environment
    variables whose values stand in here. ``written`` is the data before they were filled in.
    ``gate_places`` says where ``run.runs`` and the like were given, by key,
    ``criteria_places`` where each entry of ``criteria`` was, by id; ``places`` where sections and
    their keys were, by dotted path ("" for the file), see ``place``.
    """

    suite: SuiteSettings
    target: TargetSettings | None
    targets: Mapping[str, TargetSettings]
    run: RunSettings
    judge: JudgeSettings | None
    criteria: Mapping[str, CriterionSettings]
    generate: GenerateSettings
    budget: BudgetSettings
    report: ReportSettings
    root: Path
    file: Path
    report_dir: Path
    used_variables: tuple[str, ...]
    warnings: tuple[str, ...]
    written: Mapping[str, Any]
    gate_places: Mapping[str, Place]
    criteria_places: Mapping[str, Place]
    places: Mapping[str, Place] = field(default_factory=dict)

    def place(self, path: str) -> Place | None:
        """Say where a dotted path was given, or the nearest thing above it that was."""
        while path and path not in self.places:
            path = path.rpartition(".")[0]
        return self.places.get(path)

    @property
    def cache_dir(self) -> Path:
        """The folder of the cache, absolute."""
        return self.root / self.run.cache_dir

    @property
    def seed(self) -> int | None:
        """The seed asked for, under either of its names; ``run.seed`` is the same."""
        return self.run.seed

    def gate_defaults(self) -> GateDefaults:
        """Give the gate of a test that says nothing of its own."""
        alone = self.run.misses is not None and "gate" not in self.run.model_fields_set
        return GateDefaults(
            kind=GateKind.MISSES if alone else GateKind(self.run.gate),
            runs=most_runs(self.run.runs),
            min_runs=least_runs(self.run.runs),
            early_stop=self.run.early_stop,
            threshold=self.run.threshold.value,
            confidence=self.run.confidence.value,
            misses=self.run.misses or 0,
        )

    def vote_policy(self) -> VotePolicy:
        """Say how opinions become the verdict of a run. Without a judge: the defaults."""
        if self.judge is None:
            return VotePolicy()
        return self.judge.vote_policy()

    def public(self) -> dict[str, Any]:
        """Give the configuration as used, fit to be published.

        ``${NAME}`` stands as it was written; other values of headers, keys and variables are
        replaced.
        """
        sections = ConfigFile.model_construct(
            suite=self.suite,
            target=self.target,
            targets=dict(self.targets),
            run=self.run,
            judge=self.judge,
            criteria=dict(self.criteria),
            generate=self.generate,
            budget=self.budget,
            report=self.report,
        )
        shown = sections.model_dump(mode="json", by_alias=True)
        for path in templated_paths(self.written):
            _put_back(shown, self.written, path)
        return shown


def _put_back(shown: Any, written: Any, path: tuple[str | int, ...]) -> None:
    """Replace a filled-in value by what was written, or by asterisks."""
    *above, key = path
    for step in above:
        shown, written = shown[step], written[step]
    secret = key in _SECRET_KEYS and not isinstance(written[key], list)
    shown[key] = _published(written[key], secret=secret)


def _published(value: Any, *, secret: bool) -> Any:
    match value:
        case dict():
            return {key: _published(item, secret=secret) for key, item in value.items()}
        case list():
            return [_published(item, secret=secret) for item in value]
        case None:
            return None
        case _ if secret and not REFERENCE.search(str(value)):
            return HIDDEN
        case str():
            return _USER_INFO.sub(f"{HIDDEN}@", value)
        case _:
            return value
