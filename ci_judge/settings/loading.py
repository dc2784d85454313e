"""From a file, the environment and flags to Settings, or to everything that is wrong with them."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ci_judge.errors import InvalidInput, Place, Problem
from ci_judge.file_schema import LoadedFile, problems_or, validate
from ci_judge.settings.doubts import doubts, expression_problems
from ci_judge.settings.environment import given_variables, unknown_variables
from ci_judge.settings.finding import find_config, read_config
from ci_judge.settings.layers import Given, Layers
from ci_judge.settings.resolved import Settings
from ci_judge.settings.sections import ConfigFile, RunSettings
from ci_judge.settings.variables import WHOLE_DEMAND, Demand, Filling

_GATE_KEYS = ("runs", "threshold", "gate", "confidence")


def load_settings(
    *,
    config: Path | None,
    cwd: Path,
    environment: Mapping[str, str],
    overrides: Mapping[str, Any],
    top: Path | None = None,
    demand: Demand = WHOLE_DEMAND,
) -> Settings:
    """Load the configuration: ``overrides`` > environment > file > defaults.

    ``config`` is relative to ``cwd`` (absolute); None searches it there and above, up to ``top``.
    ``overrides``
    maps dotted keys ("run.runs") to text as typed, or to values; a ``Given`` says by what name.
    Raises InvalidInput with every problem of all three, unset variables of the ``demand`` included.
    """
    path = find_config(config, cwd, top=top)
    loaded = read_config(path, cwd)
    if not isinstance(loaded.data or {}, dict):
        validate(loaded, ConfigFile)
    layers = Layers(file=loaded, root=path.parent, cwd=cwd)
    layers.add(
        {key.path: Given(value=text, by=key.variable) for key, text in given_variables(environment)}
    )
    layers.add({tuple(key.split(".")): _given(key, value) for key, value in overrides.items()})
    merged = layers.merged()
    found = [
        *layers.problems,
        *unknown_variables(environment, merged.data),
        *expression_problems(merged),
    ]
    filling = Filling(merged, environment, demand)
    checked = _checked(replace(merged, data=filling.filled()), found, filling)
    return _settings(checked, path, merged, filling)


def _given(key: str, value: Any) -> Given:
    return value if isinstance(value, Given) else Given(value=value, by=f"the override of {key}")


def _checked(filled: LoadedFile, problems: list[Problem], filling: Filling) -> ConfigFile:
    result = problems_or(filled, ConfigFile)
    problems += filling.problems
    if isinstance(result, tuple):
        result = tuple(map(filling.unfilled, result))
        known = {problem.place for problem in problems}
        problems += [problem for problem in result if problem.place not in known]
    if problems or isinstance(result, tuple):
        raise InvalidInput(*dict.fromkeys(problems))
    return result


def _settings(config: ConfigFile, path: Path, written: LoadedFile, filling: Filling) -> Settings:
    return Settings(
        suite=config.suite,
        target=config.target,
        targets=config.targets,
        run=_with_seed(config),
        judge=config.judge,
        criteria=config.criteria,
        generate=config.generate,
        budget=config.budget,
        report=config.report,
        root=path.parent,
        file=path,
        report_dir=path.parent / config.report.dir,
        used_variables=tuple(filling.used),
        warnings=(*filling.warnings(), *doubts(written, config)),
        written=written.data,
        gate_places=_gate_places(written),
        criteria_places={id_: written.place(("criteria", id_)) for id_ in config.criteria},
        places=dict(_places(written)),
    )


def _gate_places(written: LoadedFile) -> dict[str, Place]:
    """Say where those of the gate's settings stand that are given at all."""
    given = written.data.get("run") or {}
    return {key: written.place(("run", key)) for key in _GATE_KEYS if key in given}


def _places(written: LoadedFile) -> Iterator[tuple[str, Place]]:
    """Yield where each section and each of its keys stands; one level more for ``targets``."""
    yield "", Place(file=written.file)
    pending: list[tuple[tuple[str, ...], Any]] = [((), written.data)]
    while pending:
        path, value = pending.pop()
        if path:
            yield ".".join(path), written.place(path)
        if isinstance(value, dict) and len(path) < (3 if path[:1] == ("targets",) else 2):
            pending += [((*path, str(key)), inner) for key, inner in value.items()]


def _with_seed(config: ConfigFile) -> RunSettings:
    """Take over a seed that was given under its other name."""
    if config.judge is None or config.judge.seed is None:
        return config.run
    return config.run.model_copy(update={"seed": config.judge.seed})
