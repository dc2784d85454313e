"""Makes the files that repeat what the code declares: JSON Schemas and ``.env.example``.

``python -m ci_judge.workflows.schemas`` writes them here, ``--check`` says which are out of date.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, get_args

from ci_judge.file_schema import ExactRate, FileModel, Wanted
from ci_judge.judges.keys import key_variable
from ci_judge.judges.settings import COMMAND, JudgeSettings, ProviderName
from ci_judge.renderers.report_schema import report_schema
from ci_judge.settings.environment import SettingKey, setting_keys
from ci_judge.settings.sections import ConfigFile
from ci_judge.suites.label_file import LabelFile
from ci_judge.suites.scenario_file import ScenarioFile
from ci_judge.suites.waiver_file import WaiverKeys
from ci_judge.workflows.calibration.file import CalibrationFile
from ci_judge.workflows.derived_files import settle

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_ENV_HEAD = """\
# Variables that CI Judge reads, each with its default. This file itself is never read.
# A variable overrides the configuration file, a flag or action input overrides the variable.
# Lists and maps are written as JSON; an empty variable counts as not set.
"""


def generated_files() -> dict[str, str]:
    """Give the generated files: path from the top of the repository → text."""
    return {
        "schemas/config.schema.json": _json(_model_schema(ConfigFile, "CI Judge: configuration")),
        "schemas/scenarios.schema.json": _json(_model_schema(ScenarioFile, "CI Judge: scenarios")),
        "schemas/labels.schema.json": _json(_model_schema(LabelFile, "CI Judge: labels")),
        "schemas/calibration.schema.json": _json(
            _model_schema(CalibrationFile, "CI Judge: calibration of a judge")
        ),
        "schemas/waivers.schema.json": _json(_list_schema(WaiverKeys, "CI Judge: waivers")),
        "schemas/report.schema.json": _json(report_schema()),
        ".env.example": env_example(),
    }


def env_example() -> str:
    """Give the text of ``.env.example``."""
    return _ENV_HEAD + "\n".join([*_key_variables(), *_setting_variables(), ""])


def main(arguments: Sequence[str], folder: Path) -> int:
    """Write the files below ``folder``; with ``--check`` only compare (1: something is stale)."""
    done = arguments if list(arguments) == ["--check"] else ["--write"]
    remedy = "python -m ci_judge.workflows.schemas"
    return settle(generated_files(), done, root=folder, remedy=remedy)


def _json(schema: dict[str, Any]) -> str:
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


# --- schemas -----------------------------------------------------------------------------


def _model_schema(model: type[FileModel], title: str) -> dict[str, Any]:
    schema = _tidied(model.model_json_schema(by_alias=True))
    return {"$schema": _DIALECT, **schema, "title": title}


def _list_schema(model: type[FileModel], title: str) -> dict[str, Any]:
    items = _tidied(model.model_json_schema(by_alias=True))
    return {"$schema": _DIALECT, "title": title, "type": "array", "items": items}


def _tidied(schema: Any) -> Any:
    """Leave out what pydantic adds and nobody reads."""
    if isinstance(schema, list):
        return [_tidied(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    tidied = {key: _tidied_entry(key, value) for key, value in schema.items() if key != "title"}
    return {key: value for key, value in tidied.items() if value is not _DROPPED}


_DROPPED = object()


def _tidied_entry(key: str, value: Any) -> Any:
    match key, value:
        case (("properties" | "$defs"), dict()):
            return {name: _tidied(inner) for name, inner in value.items()}
        case "default", dict():
            return value.get("text", _DROPPED)  # a rate is its text, a section goes without
        case "description", str():
            return value.replace("``", "`")
        case _:
            return _tidied(value)


# --- .env.example ------------------------------------------------------------------------


def _key_variables() -> Iterator[str]:
    yield "\n# --- keys of judges"
    providers: tuple[ProviderName, ...] = get_args(ProviderName)
    for provider in providers:
        command = "any" if provider == COMMAND else None
        variable = key_variable(JudgeSettings(provider=provider, model="any", command=command))
        if variable is not None:
            yield f"# Key of the judge {provider}, unless judge.api_key_env names another variable"
            yield f"# {variable}="


def _setting_variables() -> Iterator[str]:
    section = ""
    for key in setting_keys():
        if key.path[0] != section:
            section = key.path[0]
            yield f"\n# --- {section}"
        yield f"# {key.declared.description}{' (required)' if key.declared.required else ''}"
        yield f"# {key.variable}={_default_text(key)}"


def _default_text(key: SettingKey) -> str:
    match key.declared.default:
        case None:
            return ""
        case ExactRate() | str() as value:
            return str(value)
        case float() as value if any(isinstance(mark, Wanted) for mark in key.declared.marks):
            return f"{value:g}s"
        case value:
            return json.dumps(value)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], Path()))
