"""Which paths of a repository a list of globs means (``changed-paths``)."""

import re
from collections.abc import Iterable, Sequence

_TOKEN = re.compile(r"(?P<folders>\*\*/)|(?P<anything>\*\*)|(?P<star>\*)|(?P<one>\?)|(?P<set>\[)")


def touched(globs: Sequence[str], paths: Iterable[str]) -> str | None:
    """Give the first of the paths that the globs mean, None when they mean none of them.

    ``*`` and ``?`` stay inside of one folder, ``**`` goes through any number of them, ``[a-c]`` is
    one of these characters. A glob also means everything below the folder that it names. The last
    glob that matches a path decides; one that begins with ``!`` takes paths out again.
    """
    rules = [_rule(glob) for glob in globs]
    return next((path for path in paths if _is_meant(path, rules)), None)


def _is_meant(path: str, rules: Sequence[tuple[bool, re.Pattern[str]]]) -> bool:
    verdicts = [wanted for wanted, pattern in rules if pattern.fullmatch(path)]
    return bool(verdicts) and verdicts[-1]


def _rule(glob: str) -> tuple[bool, re.Pattern[str]]:
    wanted = not glob.startswith("!")
    folder = glob.removeprefix("!").removeprefix("./").strip("/")
    return wanted, re.compile(f"{_pattern(folder)}(?:/.*)?", re.DOTALL)


def _pattern(glob: str) -> str:
    pieces: list[str] = []
    at = 0
    while at < len(glob):
        token = _TOKEN.match(glob, at)
        piece, at = _piece(glob, token) if token else (re.escape(glob[at]), at + 1)
        if not (pieces and pieces[-1] == piece and piece in {_FOLDERS, ".*", "[^/]*"}):
            pieces.append(piece)  # twice the same is slower and means the same
    return "".join(pieces)


_FOLDERS = "(?:.*/)?"


def _piece(glob: str, token: re.Match[str]) -> tuple[str, int]:
    """Translate what begins here, and say where the rest begins."""
    match token.lastgroup:
        case "folders":
            return _FOLDERS, token.end()
        case "anything":
            return ".*", token.end()
        case "star":
            return "[^/]*", token.end()
        case "one":
            return "[^/]", token.end()
        case _:
            return _set(glob, token.start())


def _set(glob: str, start: int) -> tuple[str, int]:
    """Translate ``[...]``; a bracket that is never closed, or nonsense, stands for itself."""
    end = glob.find("]", start + 2)
    inner = glob[start + 1 : end]
    if end < 0:
        return re.escape("["), start + 1
    negated = "^/" if inner[0] in "!^" else ""
    members = re.sub(r"[\[\]\\&~|^]", lambda found: f"\\{found[0]}", inner[bool(negated) :])
    try:
        re.compile(f"[{negated}{members}]")
    except re.error:
        return re.escape("["), start + 1
    return f"(?!/)[{negated}{members}]", end + 1
