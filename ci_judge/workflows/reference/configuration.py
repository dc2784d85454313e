"""The page of the configuration file: every key, and the variable that overrides it."""

import inspect
from collections.abc import Iterator

from ci_judge.file_schema import FileModel
from ci_judge.file_schema.wording import Declared, keys_of, models_in
from ci_judge.settings.environment import PREFIX
from ci_judge.settings.sections import ConfigFile
from ci_judge.workflows.reference.file_keys import HEAD, inner_models, key_rows, key_table
from ci_judge.workflows.reference.pages import code, page, table

MADE_BY = "ci_judge.workflows.reference_docs"
_HEAD = f"""\
`ci-judge.yaml` (or `ci-judge.toml`) is looked for in the working directory and its parents.
Paths in it start from the file. `${{NAME}}` comes from the environment in the url, headers,
query and body of a target, in what `serve` needs, and in `base_url` and `api_key` of a judge;
`$${{NAME}}` stands for itself. Unknown keys and wrong values are refused, all at once, each with
its line. Durations are written `60s`, `500ms`, `2m` or as a number of seconds, rates `0.8` or
`2/3`.

Each key can be overridden by the variable beside it (lists and maps as JSON; an empty variable
is not set). A flag or action input wins over a variable, a variable over the file. All variables
begin with `{PREFIX}`; [`.env.example`](../../.env.example) lists them."""


def configuration_page() -> str:
    parts = [text for section in keys_of(ConfigFile).items() for text in _section(*section)]
    return page("Configuration", _HEAD, *parts, made_by=MADE_BY)


def _section(name: str, declared: Declared) -> Iterator[str]:
    yield f"## {name}"
    yield f"{declared.description}."
    (model,) = models_in(declared)
    if name == "targets":
        yield f"A map of names; what stands under each is as in [target](#target).\n\n{_one(name)}"
    elif declared.holds_many:
        yield f"A map of ids; under each of them:\n\n{key_table(model)}\n\n{_one(name)}"
    else:
        yield _with_variables(name, model)
        yield from _below(name, model)


def _with_variables(section: str, model: type[FileModel]) -> str:
    names = (_variable(section, key) for key in keys_of(model))
    rows = ([*row, code(name)] for row, name in zip(key_rows(model), names, strict=True))
    return table((*HEAD, "variable"), rows)


def _below(section: str, model: type[FileModel]) -> Iterator[str]:
    for key, inner in inner_models(model).items():
        said = inspect.cleandoc(inner.__doc__ or "").partition("\n")[0].replace("``", "`")
        yield f"### {section}.{key}"
        yield f"{said}\n\n{key_table(inner)}"


def _one(section: str) -> str:
    return f"The whole map as JSON overrides it: {code(_variable(section))}."


def _variable(*path: str) -> str:
    return PREFIX + "_".join(path).upper()
