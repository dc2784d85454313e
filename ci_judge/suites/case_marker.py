"""The decorator ``@case``: marks a function as a test whose returned evidence is judged.

Runs in the process of the case files too, so it uses the standard library only and little of it
(a dataclass would cost every child process the import of ``inspect``).
"""

from collections.abc import Callable, Iterable
from types import CodeType, FunctionType
from typing import Any, NamedTuple, ParamSpec, TypeVar

MOST_RUNS = 10_000
RATES = (
    r"\+?(?:\d{1,40}\.?\d{0,40}|\.\d{1,40})(?:[eE][-+]?\d{1,2})?",
    r"\s*\d{1,18}\s*/\s*\d{1,18}\s*",
)
"""The forms of an exact rate, as in scenario files; longer ones would take for ever to compute."""

_SHOWN = 60

GATES = ("lower_bound", "exact", "adaptive", "rate", "misses")

P = ParamSpec("P")
R = TypeVar("R")


class CaseMistake(TypeError, ValueError):
    """``@case`` was used wrongly. The message says how, and what to write instead."""


class CaseMarker(NamedTuple):
    """What ``@case`` was told. ``threshold`` is the number as it was written, None if not given.

    ``runs`` are the most and ``min_runs`` the least where both were given.
    """

    requirement: str
    runs: int | None
    threshold: str | None
    gate: str | None
    misses: int | None
    tags: tuple[str, ...]
    advisory: bool
    skip: str | None
    min_runs: int | None = None


class CaseRegister:
    """Everything decorated so far in this process, so that nothing is dropped silently.

    While ``collecting``, mistakes are gathered as (message, line) instead of raised: the process
    of a case file shows all of them at once.
    """

    def __init__(self) -> None:
        self.functions: list[FunctionType] = []
        self.mistakes: list[tuple[str, int]] = []
        self.collecting = False

    def refuse(self, messages: list[str], *, line: int) -> None:
        if not self.collecting:
            raise CaseMistake("; ".join(messages))
        self.mistakes.extend((message, line) for message in messages)


register = CaseRegister()


def case(  # noqa: PLR0913 - one keyword an option is what people write
    requirement: str,
    *,
    runs: int | dict[str, int] | None = None,
    threshold: float | str | None = None,
    gate: str | None = None,
    misses: int | None = None,
    tags: Iterable[str] = (),
    advisory: bool = False,
    skip: str | None = None,
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Mark a function without parameters, sync or async, whose JSON evidence is to be judged.

    ``requirement`` says in plain words what must be true of the evidence. Without ``runs`` the
    case has one run that must pass; ``threshold`` (a pass rate in [0, 1]; text such as "2/3" is
    exact), ``gate`` and ``misses`` need ``runs``; the adaptive gate takes
    ``runs={"min": 20, "max": 100}``. The function itself is returned unchanged.
    Raises CaseMistake (a TypeError and a ValueError) when it is used wrongly.
    """
    first: object = requirement
    if isinstance(first, FunctionType):
        _refuse_missing_parentheses(first)
        return lambda function: function
    least, most = _range(runs)
    given = {
        "requirement": requirement,
        "runs": most,
        "min_runs": least,
        "threshold": None if threshold is None else str(threshold),
        "gate": gate,
        "misses": misses,
        "tags": tags if isinstance(tags, str) else tuple(tags),
        "advisory": advisory,
        "skip": skip,
    }
    mistakes = [*_text_mistakes(given), *_gate_mistakes(given)]

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        _mark(function, given, mistakes)
        return function

    return decorate


def marker_of(value: object) -> CaseMarker | None:
    """Return the marker that ``@case`` left on a function, None for anything else."""
    marker = getattr(value, "__ci_judge_case__", None) if callable(value) else None
    return marker if isinstance(marker, CaseMarker) else None


def _refuse_missing_parentheses(function: FunctionType) -> None:
    message = f'@case needs the requirement: write @case("…") above "{function.__name__}"'
    register.refuse([message], line=function.__code__.co_firstlineno)


def _mark(function: object, given: dict[str, Any], mistakes: list[str]) -> None:
    if not isinstance(function, FunctionType):
        raise CaseMistake(f"@case belongs on a function, not on a {type(function).__name__}")
    found = [*mistakes, *_function_mistakes(function)]
    if found:
        register.refuse(found, line=function.__code__.co_firstlineno)
        return
    function.__ci_judge_case__ = CaseMarker(**given)  # type: ignore[attr-defined] # ours to set
    register.functions.append(function)


def _function_mistakes(function: FunctionType) -> list[str]:
    names = _parameters(function.__code__)
    found = []
    if names:
        found.append(f'a case takes no parameters, but "{function.__name__}" has {names}')
    if marker_of(function):
        found.append(f'"{function.__name__}" is marked with @case twice; keep one')
    return found


def _parameters(code: CodeType) -> str:
    count = code.co_argcount + code.co_kwonlyargcount
    return ", ".join(f'"{name}"' for name in code.co_varnames[:count])


def _text_mistakes(given: dict[str, Any]) -> list[str]:
    found = []
    requirement, tags, skip = given["requirement"], given["tags"], given["skip"]
    if not isinstance(requirement, str) or not requirement.strip():
        found.append("the requirement of @case is empty; say in words what must be true")
    if not isinstance(tags, tuple) or not all(isinstance(tag, str) and tag for tag in tags):
        found.append('tags of @case must be a list of texts, such as tags=["refunds"]')
    if skip is not None and not (isinstance(skip, str) and skip.strip()):
        found.append("skip of @case must be the reason, as text")
    if not isinstance(given["advisory"], bool):
        found.append("advisory of @case must be True or False")
    return found


def _gate_mistakes(given: dict[str, Any]) -> list[str]:
    found = []
    runs, gate, misses, threshold = (given[n] for n in ("runs", "gate", "misses", "threshold"))
    if runs is None:
        found += [
            f"{name} of @case needs runs as well, such as runs=10"
            for name in ("threshold", "gate", "misses")
            if given[name] is not None
        ]
    else:
        found += _runs_mistakes(given)
    if threshold is not None and not is_rate(threshold):
        found.append(f"threshold of @case must be a rate from 0 to 1, not {threshold[:_SHOWN]}")
    if gate is not None and gate not in GATES:
        found.append(f"gate of @case must be one of {', '.join(GATES)}, not {_shown(gate)}")
    if misses is not None and (not _whole_number(misses) or misses < 0):
        wanted = "a whole number of at least 0"
        found.append(f"misses of @case must be {wanted}, not {_shown(misses)}")
    elif misses is not None and gate not in {None, "misses"}:
        found.append(f'misses of @case belongs to gate="misses", not to {gate!r}')
    return found


def _runs_mistakes(given: dict[str, Any]) -> list[str]:
    if isinstance(given["runs"], dict):
        wanted = 'min and max alone, such as {"min": 20, "max": 100}'
        return [f"runs of @case need {wanted}, not {_shown(given['runs'])}"]
    wanted = f"a whole number from 1 to {MOST_RUNS}"
    found = [
        f"runs of @case must be {wanted}, not {_shown(number)}"
        for number in (given["runs"], given["min_runs"])
        if number is not None and not (_whole_number(number) and 1 <= number <= MOST_RUNS)
    ]
    if not found and (given["min_runs"] or 0) > given["runs"]:
        found.append("max of the runs of @case is less than min")
    return found


def _range(runs: object) -> tuple[Any, Any]:
    """Take min and max out of what was given as runs; a number has no min."""
    if isinstance(runs, dict) and set(runs) == {"min", "max"}:
        return runs["min"], runs["max"]
    return None, runs


def _whole_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def is_rate(text: str) -> bool:
    """Tell whether a text is an exact rate from 0 to 1."""
    import re  # noqa: PLC0415 - most cases have no threshold of their own
    from fractions import Fraction  # noqa: PLC0415 - likewise

    if not any(re.fullmatch(form, text) for form in RATES):
        return False
    try:
        return 0 <= Fraction(text.replace(" ", "")) <= 1
    except ZeroDivisionError:
        return False


def _shown(value: object) -> str:
    """Show a refused value; an int of thousands of digits cannot be written at all."""
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001 - the repr may be the user's code
        return f"this {type(value).__name__}"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
