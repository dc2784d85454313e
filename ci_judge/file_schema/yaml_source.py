"""YAML files (and JSON, which is YAML enough)."""

from typing import TypeAlias

import yaml

from ci_judge.errors import InvalidInput, Place, Problem
from ci_judge.file_schema.loaded_file import LoadedFile
from ci_judge.file_schema.text_source import plain_text
from ci_judge.file_schema.yaml_mistakes import character_problem, syntax_problem
from ci_judge.file_schema.yaml_places import YamlPlaces
from ci_judge.file_schema.yaml_scalars import CoreScalars
from ci_judge.file_schema.yaml_values import ValueBuilder


class PythonLoader(CoreScalars, yaml.SafeLoader):
    """For a PyYAML that was built without libyaml: the same, eight times slower."""


if yaml.__with_libyaml__:

    class _CLoader(CoreScalars, yaml.CSafeLoader):
        pass

    DEFAULT_LOADER: "type[Loader]" = _CLoader
else:
    DEFAULT_LOADER = PythonLoader

Loader: TypeAlias = yaml.SafeLoader | yaml.CSafeLoader


def load_yaml(text: str, *, file: str, loader: type[Loader] = DEFAULT_LOADER) -> LoadedFile:
    """Read one YAML document; ``file`` is the name to show.

    Raises InvalidInput with file, line and column for malformed YAML, and with every duplicate
    key, unsupported tag, recursive or too often expanded alias of the document.
    """
    text = plain_text(text)
    root = _compose(text, file, loader)
    builder = ValueBuilder(file=file)
    data = None if root is None else builder.build(root)
    if builder.problems:
        raise InvalidInput(*builder.problems)
    return LoadedFile(file=file, data=data, locator=YamlPlaces(file=file, text=text, root=root))


def _compose(text: str, file: str, loader_class: type[Loader]) -> yaml.Node | None:
    try:
        loader = loader_class(text)
        try:
            return loader.get_single_node()
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        raise InvalidInput(syntax_problem(error, text, file)) from error
    except yaml.reader.ReaderError as error:
        raise InvalidInput(character_problem(error, text, file)) from error
    except RecursionError as error:
        raise InvalidInput(Problem(message="nested too deep", place=Place(file=file))) from error
