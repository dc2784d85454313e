"""YAML files (and JSON, which is YAML enough)."""

from typing import Any, TypeAlias

import yaml

from ci_judge.errors import InvalidInput, Place, Problem
from ci_judge.file_schema.loaded_file import LoadedFile
from ci_judge.file_schema.text_source import plain_text
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
        raise InvalidInput(_syntax_problem(error, text, file)) from error
    except yaml.reader.ReaderError as error:
        raise InvalidInput(_character_problem(error, text, file)) from error
    except RecursionError as error:
        raise InvalidInput(Problem(message="nested too deep", place=Place(file=file))) from error


def _syntax_problem(error: yaml.MarkedYAMLError, text: str, file: str) -> Problem:
    mark: Any = error.problem_mark or error.context_mark
    place = (
        Place(file=file, line=mark.line + 1, column=mark.column + 1) if mark else Place(file=file)
    )
    lines = text.split("\n")
    line = lines[mark.line] if mark and mark.line < len(lines) else ""
    message, hint = _explained(f"{error.problem}", f"{error.context or ''}", line)
    return Problem(message=message, hint=hint, place=place)


_BLOCK_HINT = (
    "text that begins with a quote or another special character, or holds a colon and a blank, "
    "is safest as a block: >- and the text indented on the next line"
)
_KNOWN = (
    ("but found another document", "a second document begins here", "keep one document a file"),
    ("undefined alias", "the alias is not defined", 'put text that begins with "*" into quotes'),
    ("nesting depth", "nested too deep", None),
    ("mapping values are not allowed", "a key and a colon cannot stand here", _BLOCK_HINT),
    ("unexpected end of stream", "the quote is never closed", _BLOCK_HINT),
    ("found unexpected document indicator", "the quote is never closed", _BLOCK_HINT),
    ("cannot start any token", "this character cannot begin a value", _BLOCK_HINT),
    ("undefined tag handle", "the tag is not known", 'put text that begins with "!" into quotes'),
    ("unknown escape character", "unknown escape in double quotes", "use single quotes or a block"),
)


def _explained(problem: str, context: str, line: str) -> tuple[str, str | None]:
    indent = line[: len(line) - len(line.lstrip())]
    if "\t" in indent:
        return "a tab is used to indent", "YAML is indented with spaces"
    for part, message, hint in _KNOWN:
        if part in problem:
            return f"malformed YAML: {message}", hint
    where = f" {context}" if context else ""
    hint = _BLOCK_HINT if any(quote in line for quote in "\"'") else None
    return f"malformed YAML{where}: {problem}", hint


def _character_problem(error: yaml.reader.ReaderError, text: str, file: str) -> Problem:
    at = error.position if isinstance(error.position, int) else 0
    code = error.character if isinstance(error.character, int) else 0
    line = text.count("\n", 0, at) + 1
    return Problem(
        message=f"the character U+{code:04X} is not allowed in YAML",
        hint="remove it, or write it as an escape in double quotes",
        place=Place(file=file, line=line, column=at - text.rfind("\n", 0, at)),
    )
