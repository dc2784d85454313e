"""Imports one case file in its own process and lists what ``@case`` marked in it.

Runs in the process of the case files, so it uses the standard library only.
"""

import contextlib
import sys
from collections.abc import Callable, Iterator
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from ci_judge.suites.case_marker import CaseMarker, CaseMistake, case, marker_of, register
from ci_judge.suites.case_traceback import exception_text, last_line_in

RELATIVE_HINT = "the file's own folder is importable: write `from name import …` without the dot"
MISSING_HINT = (
    "install it where ci-judge itself is, as by pip install -e . for a project of your own, or put "
    "the module beside the case file"
)


class LoadedCases:
    """What a case file holds: ``functions`` by name, and a JSON ``report`` for the parent.

    The report has ``cases`` (one object each, sorted by name) and ``mistakes`` (objects with
    ``message``, ``hint`` and ``line``); with a mistake no case may be called.
    """

    def __init__(self) -> None:
        self.functions: dict[str, Callable[[], Any]] = {}
        self.cases: list[dict[str, Any]] = []
        self.mistakes: list[dict[str, Any]] = []

    @property
    def report(self) -> dict[str, Any]:
        return {"cases": self.cases, "mistakes": self.mistakes}

    def add_mistake(self, message: str, *, line: int | None, hint: str | None = None) -> None:
        self.mistakes.append({"message": message, "hint": hint, "line": line})

    def add_case(self, name: str, function: Callable[[], Any], line: int) -> None:
        marker = marker_of(function)
        if marker:
            self.functions[name] = function
            self.cases.append({"function": name, "line": line, **marker._asdict()})


def load_cases(file: str) -> LoadedCases:
    """Import the file and describe it; whatever its code raises becomes a mistake."""
    loaded = LoadedCases()
    register.collecting = True
    module = _import(file, loaded)
    for message, line in register.mistakes:
        loaded.add_mistake(message, line=line)
    if module:
        _collect(module, loaded)
    loaded.mistakes.sort(key=lambda mistake: mistake["line"] or 0)
    return loaded


def _import(file: str, loaded: LoadedCases) -> ModuleType | None:
    name = _module_name(file)
    offer_folder(str(Path(file).parent))
    sys.argv = [file]
    spec = spec_from_loader(name, SourceFileLoader(name, file))
    if spec is None or spec.loader is None:
        return None
    module = module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException as error:  # noqa: BLE001 - the border of user code
        _add_import_mistake(error, file, loaded)
        return None
    return module


def _module_name(file: str) -> str:
    stem = Path(file).stem
    taken = stem in sys.stdlib_module_names or stem in sys.modules
    return f"case_file_{stem}" if taken else stem


def offer_folder(folder: str) -> None:
    """Make the modules beside a case file importable.

    The folder goes behind the standard library, which a helper must not shadow, and before
    installed packages, whose stray ``utils`` or ``tests`` must not shadow a helper.
    """
    packages = ("site-packages", "dist-packages")
    installed = [i for i, entry in enumerate(sys.path) if Path(entry).name in packages]
    sys.path.insert(installed[0] if installed else len(sys.path), folder)


def _add_import_mistake(error: BaseException, file: str, loaded: LoadedCases) -> None:
    line = last_line_in(file, error)
    if isinstance(error, SyntaxError) and error.filename == file:
        loaded.add_mistake(f"SyntaxError: {error.msg}", line=error.lineno)
    elif isinstance(error, SystemExit):
        loaded.add_mistake(
            f"the file calls sys.exit({error.code!r}) while it is imported",
            line=line,
            hint='put such code under `if __name__ == "__main__":`',
        )
    elif isinstance(error, CaseMistake):
        loaded.add_mistake(str(error), line=line)
    elif isinstance(error, TypeError) and str(error).startswith("case() "):
        message, hint = _misused_options(str(error))
        loaded.add_mistake(message, line=line, hint=hint)
    else:
        message = f"the file cannot be imported: {exception_text(error)}"
        loaded.add_mistake(message, line=line, hint=_import_hint(error))


def _misused_options(reason: str) -> tuple[str, str]:
    """Say what Python says of a call of ``case`` in the words of the decorator."""
    options = list(case.__kwdefaults__ or ())
    _, quote, rest = reason.partition("keyword argument '")
    if quote:
        from difflib import get_close_matches  # noqa: PLC0415 - only for a mistake

        name = rest.partition("'")[0]
        close = get_close_matches(name, options, n=1)
        hint = f'did you mean "{close[0]}"?' if close else f"there are {', '.join(options)}"
        return f'@case has no option "{name}"', hint
    if "missing" in reason:
        return "@case needs the requirement", 'write it first, as text: @case("…")'
    return "@case takes the requirement alone without a name", "name all others, such as runs=10"


def _import_hint(error: BaseException) -> str | None:
    if isinstance(error, ImportError) and "relative import" in str(error):
        return RELATIVE_HINT
    if isinstance(error, ImportError) and error.name == "ci_judge":
        return "write `from ci_judge import case`"
    if isinstance(error, ModuleNotFoundError):
        return MISSING_HINT
    return None


def _collect(module: ModuleType, loaded: LoadedCases) -> None:
    names = _names_by_marker(module)
    own = [f for f in register.functions if f.__module__ == module.__name__]
    for function in own:
        found = names.get(id(marker_of(function)))
        if found:
            name = function.__name__ if function.__name__ in found else found[0]
            loaded.add_case(name, vars(module)[name], function.__code__.co_firstlineno)
        else:
            _add_unreachable(function, module, loaded)
    loaded.cases.sort(key=lambda entry: str(entry["function"]))
    if not own and not loaded.mistakes:
        hint = 'mark a function with @case("…"), or narrow suite.pattern'
        loaded.add_mistake("the file holds no case of its own", line=None, hint=hint)


def _names_by_marker(module: ModuleType) -> dict[int, list[str]]:
    """Names by the identity of the marker: an outer decorator may have wrapped the function."""
    names: dict[int, list[str]] = {}
    for name, marker in _marked_names(module):
        names.setdefault(id(marker), []).append(name)
    return names


def _marked_names(module: ModuleType) -> Iterator[tuple[str, CaseMarker]]:
    for name, value in sorted(vars(module).items()):
        with contextlib.suppress(Exception):  # a lazy proxy of the user's may raise anything
            marker = marker_of(value)
            if marker:
                yield name, marker


def _add_unreachable(function: FunctionType, module: ModuleType, loaded: LoadedCases) -> None:
    name = function.__name__
    if name in vars(module):
        message, hint = f'the case "{name}" is replaced further down', "give each its own name"
    else:
        message = f'the case "{name}" does not stand at the top level of the file'
        hint = "move it out of the class or function around it"
    loaded.add_mistake(message, line=function.__code__.co_firstlineno, hint=hint)
