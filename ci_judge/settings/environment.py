"""Which variable overrides which setting: ``CI_JUDGE_<SECTION>_<KEY>``."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ci_judge.errors import Place, Problem
from ci_judge.file_schema.wording import Declared, did_you_mean, keys_of, models_in
from ci_judge.settings.sections import ConfigFile
from ci_judge.settings.variables import REFERENCE

PREFIX = "CI_JUDGE_"
CHILDREN_RUN_AS = "CI_JUDGE_CHILDREN_RUN_AS"
"""Who children run as is no setting: a configuration must not free its own code."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingKey:
    """A key of the configuration as a variable names it.

    ``path`` is (section, key), or the section alone where that is a map of any names.
    """

    path: tuple[str, ...]
    declared: Declared

    @property
    def variable(self) -> str:
        return PREFIX + "_".join(self.path).upper()


def setting_keys() -> tuple[SettingKey, ...]:
    """List every key that a variable can override, in the order of the schema."""
    return tuple(
        key
        for section, declared in keys_of(ConfigFile).items()
        for key in _keys_of_section(section, declared)
    )


def _keys_of_section(section: str, declared: Declared) -> list[SettingKey]:
    if declared.holds_many:
        return [SettingKey(path=(section,), declared=declared)]
    return [
        SettingKey(path=(section, key), declared=inner)
        for model in models_in(declared)
        for key, inner in keys_of(model).items()
    ]


def given_variables(environment: Mapping[str, str]) -> Iterator[tuple[SettingKey, str]]:
    """Yield the settings that the environment overrides; an empty variable overrides nothing."""
    for key in setting_keys():
        text = environment.get(key.variable, "").strip()
        if text:
            yield key, text


def unknown_variables(environment: Mapping[str, str], data: Any) -> Iterator[Problem]:
    """Yield a problem for each ``CI_JUDGE_*`` variable that means nothing.

    A variable that the configuration itself speaks of may have any name.
    """
    known = [*(key.variable for key in setting_keys()), CHILDREN_RUN_AS]
    spoken_of = set(_names_in(data))
    for name, text in sorted(environment.items()):
        if name.startswith(PREFIX) and text.strip() and name not in {*known, *spoken_of}:
            yield Problem(
                message="this variable names no setting",
                hint=_meant_variable(name, known),
                place=Place(file=name),
            )


def _meant_variable(name: str, known: list[str]) -> str | None:
    whole = next((each for each in known if name.startswith(f"{each}_")), None)
    if whole:
        return f"set {whole} as JSON"
    ends = [each for each in known if each.endswith(f"_{name.removeprefix(PREFIX)}")]
    return f'did you mean "{ends[0]}"?' if ends else did_you_mean(name, known)


def _names_in(data: Any) -> Iterator[str]:
    match data:
        case str():
            yield data
            yield from (found[2] for found in REFERENCE.finditer(data))
        case dict():
            for key, value in data.items():
                yield from _names_in(key)
                yield from _names_in(value)
        case list():
            for value in data:
                yield from _names_in(value)
        case _:
            return
