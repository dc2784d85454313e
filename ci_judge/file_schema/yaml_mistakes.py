"""What is wrong with malformed YAML, in the words of the person who typed it, and where."""

import re
from typing import Any

import yaml

from ci_judge.errors import Place, Problem
from ci_judge.file_schema.typing_marks import placeholder_hint, typographic_hint

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


_BARE_KEY = re.compile(r"(\s+)[\w-]+")
_ENTRY = re.compile(r"([\s-]*)[\w-]+:\s+[^\s>|]")


def syntax_problem(error: yaml.MarkedYAMLError, text: str, file: str) -> Problem:
    """Explain what the parser stumbled over; a quote that was left open is blamed where it began.

    ``text`` is the whole file, ``file`` the name to show.
    """
    mark = error.problem_mark or error.context_mark
    if mark is None:
        return Problem(message=_explained(error)[0], place=Place(file=file))
    line = text.split("\n")[mark.line] if mark.line <= text.count("\n") else ""
    if "\t" in line[: len(line) - len(line.lstrip())]:
        spaces = "YAML is indented with spaces"
        return Problem(message="a tab is used to indent", hint=spaces, place=_place(file, mark))
    mistyped = typographic_hint(line) or placeholder_hint(line) or _hard_space(text, mark)
    opened = None if mistyped else _left_open(error, mark, text)
    if opened is not None:
        return _open_quote(opened, mark, text, file)
    message, hint = (
        _misfit(error, line[: mark.column]) or _too_deep(error, mark, text) or _explained(error)
    )
    hint = hint or (_BLOCK_HINT if any(quote in line for quote in "\"'") else None)
    return Problem(message=message, hint=mistyped or hint, place=_place(file, mark))


def character_problem(error: yaml.reader.ReaderError, text: str, file: str) -> Problem:
    """Explain a character that YAML does not allow."""
    at = error.position if isinstance(error.position, int) else 0
    code = error.character if isinstance(error.character, int) else 0
    line = text.count("\n", 0, at) + 1
    return Problem(
        message=f"the character U+{code:04X} is not allowed in YAML",
        hint="remove it, or write it as an escape in double quotes",
        place=Place(file=file, line=line, column=at - text.rfind("\n", 0, at)),
    )


def _explained(error: yaml.MarkedYAMLError) -> tuple[str, str | None]:
    for part, message, hint in _KNOWN:
        if part in f"{error.problem}":
            return f"malformed YAML: {message}", hint
    where = f" {error.context}" if error.context else ""
    return f"malformed YAML{where}: {error.problem}", None


def _hard_space(text: str, mark: Any) -> str | None:
    """Name a no-break space in the line of the mistake or in the one above it."""
    lines = text.split("\n")
    for number in (mark.line, mark.line - 1):
        if 0 <= number < len(lines) and "\u00a0" in lines[number]:
            return f"line {number + 1} holds a no-break space (U+00A0): use plain blanks"
    return None


def _misfit(error: yaml.MarkedYAMLError, before: str) -> tuple[str, str] | None:
    """Explain what follows where a block is complete; ``before`` stands ahead of it in its line."""
    if not any(part in f"{error.problem}" for part in ("did not find expected", "<block end>")):
        return None
    if "block" not in f"{error.context}":
        return None
    if not before.strip():
        hint = "begin it exactly below the line that it belongs to"
        return "malformed YAML: the indentation of this line fits no line above", hint
    return "malformed YAML: the value is complete before this, which fits nothing", _BLOCK_HINT


def _too_deep(error: yaml.MarkedYAMLError, mark: Any, text: str) -> tuple[str, str] | None:
    """Explain a key that is indented deeper than the entry above it, which makes it text."""
    if "mapping values are not allowed" not in f"{error.problem}" or mark.line == 0:
        return None
    above, line = text.split("\n")[mark.line - 1 : mark.line + 1]
    key, entry = _BARE_KEY.fullmatch(line[: mark.column]), _ENTRY.match(above)
    if key is None or entry is None or len(key[1]) <= len(entry[1]):
        return None
    hint = "begin it exactly below the key above"
    return "malformed YAML: this line is indented deeper than the one above it", hint


def _place(file: str, mark: Any) -> Place:
    return Place(file=file, line=mark.line + 1, column=mark.column + 1)


def _open_quote(opened: Any, mark: Any, text: str, file: str) -> Problem:
    end = f"to line {mark.line + 1}, column {mark.column + 1}, where it does not fit"
    goes_on = "and is never closed" if mark.index >= len(text.rstrip()) else f"and runs on {end}"
    return Problem(
        message=f"malformed YAML: a quoted text begins here {goes_on}",
        hint="close its quote, or write the text as a block: >- and the text indented on the next "
        "line",
        place=_place(file, opened),
    )


def _left_open(error: yaml.MarkedYAMLError, mark: Any, text: str) -> Any:
    """Give the mark where quoted text began that runs over lines up to the mistake, or None."""
    if "quoted scalar" in f"{error.context}" and "escape" not in f"{error.problem}":
        return None if error.context_mark is None else _spanning(error.context_mark, mark)
    last = None
    try:
        for token in yaml.scan(text, Loader=yaml.SafeLoader):
            if token.start_mark.index >= mark.index:
                break
            last = token if isinstance(token, yaml.ScalarToken) and token.style else None
    except yaml.YAMLError:
        pass  # what was read up to the mistake is all that is wanted
    if last is None or last.style not in {"'", '"'} or last.end_mark.line != mark.line:
        return None
    return _spanning(last.start_mark, last.end_mark)


def _spanning(start: Any, end: Any) -> Any:
    return start if start.line < end.line else None
