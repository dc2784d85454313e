"""Checks that need no judge: exact, free, certain."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from ci_judge.model.evidence import Conversation, EvidenceFailure, FailureCode, Reply
from ci_judge.model.judging import CheckResult
from ci_judge.model.suite import Check, CheckKind, Expectation, JsonValue
from ci_judge.rules.captured_values import (
    PLACE_WORDS,
    Nameless,
    called_names,
    captured_as_replies,
    follows,
    whole_of,
)
from ci_judge.rules.check_words import json_words, names_words, usd_words, wanted_words
from ci_judge.rules.excerpts import around, beginning
from ci_judge.rules.json_paths import Missing, look_up
from ci_judge.rules.phrases import folded, folded_holds
from ci_judge.rules.pricing import total
from ci_judge.rules.rounding import apart

_NOT_JSON = "not JSON"
_ROUNDING = 1e-9  # sums of prices are not exact, and a limit that is just met is met


@dataclass(frozen=True, slots=True, kw_only=True)
class Undecided:
    """A tool could not say whether a check holds, and why (a pattern that ran out of time)."""

    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckTools:
    """What checks need from outside the standard library.

    ``search(pattern, text)`` tells whether the pattern is found anywhere in the text;
    ``violation(schema, value)`` says what in the value breaks the schema, None for nothing;
    ``redact`` takes the secrets out of an answer before a piece of it is quoted.
    """

    search: Callable[[str, str], bool | Undecided]
    violation: Callable[[JsonValue, JsonValue], str | Undecided | None]
    redact: Callable[[str], str] = str


Finding: TypeAlias = str | Undecided | None
"""What was found instead; None when the check holds."""


def evaluate_checks(
    checks: Sequence[Check], conversation: Conversation, tools: CheckTools
) -> tuple[CheckResult, ...] | EvidenceFailure:
    """Evaluate every check against a conversation, in order.

    ``contains`` and ``regex`` hold if any answer has it, ``not_contains`` must hold in every
    answer, as must ``max_chars`` and ``max_latency``; ``max_cost`` limits all answers together;
    ``equals``, ``json_path`` and
    ``json_schema`` look at the last. ``contains`` and ``not_contains`` compare as quoted phrases
    do (ignoring case, composition and the kind of whitespace) but inside words too: "14 days"
    is in "114 days". ``equals`` compares text exactly, and any other operand as JSON, where true
    is not 1 and 1 is 1.0. An answer that is text is read as JSON where a check needs JSON.
    With ``inside`` all of them look at what was captured of each answer, "the last" being the last
    of which anything was. ``tools_called`` holds if the calls of all turns hold its names in order.

    A check that cannot be decided makes the whole run an error, returned as its failure.
    """
    results = []
    for check in checks:
        finding = _find_where_it_looks(check, conversation.replies, tools)
        if isinstance(finding, Undecided):
            return _failure(check, finding, conversation)
        results.append(_result(check, finding))
    return tuple(results)


def phrase_results(
    expectations: Sequence[Expectation],
    conversation: Conversation,
    *,
    redact: Callable[[str], str] = str,
) -> tuple[CheckResult, ...]:
    """Look for every quoted phrase of every expectation (items from 1); any answer may hold it."""
    texts = [_Folded(reply.text, folded(reply.text)) for reply in conversation.replies]
    return tuple(
        _phrase_result(item, phrase, texts, redact)
        for item, expectation in enumerate(expectations, start=1)
        for phrase in expectation.phrases
    )


def json_equal(left: JsonValue, right: JsonValue) -> bool:
    """Compare JSON values: true is not 1, 1 is 1.0, the order of keys does not matter."""
    match left, right:
        case bool() | None, _:
            return left is right
        case _, bool() | None:
            return False
        case dict(), dict():
            return left.keys() == right.keys() and all(
                json_equal(value, right[key]) for key, value in left.items()
            )
        case list(), list():
            return len(left) == len(right) and all(map(json_equal, left, right))
        case _:
            return bool(left == right)


class _Folded(NamedTuple):
    """An answer, and the form in which phrases are looked for in it."""

    text: str
    form: str


def _phrase_result(
    item: int, phrase: str, texts: list[_Folded], redact: Callable[[str], str]
) -> CheckResult:
    passed = any(folded_holds(text.form, phrase) for text in texts)
    found = "" if passed else _instead_of_phrase(phrase, texts, redact)
    return CheckResult(kind="phrase", wanted=phrase, passed=passed, found=found, item=item)


def _instead_of_phrase(phrase: str, texts: list[_Folded], redact: Callable[[str], str]) -> str:
    wanted = folded(phrase)
    within = next((text for text in texts if wanted in text.form), None)
    if within is None:
        return beginning(redact(texts[-1].text))
    return f"only inside a longer word: {around(redact(within.text), phrase)}"


def _result(check: Check, finding: str | None) -> CheckResult:
    return CheckResult(
        kind=check.kind,
        wanted=wanted_words(check),
        passed=finding is None,
        found=finding or "",
        inside=check.inside,
    )


def _failure(check: Check, finding: Undecided, conversation: Conversation) -> EvidenceFailure:
    return EvidenceFailure(
        code=FailureCode.CHECK_ERROR,
        message=f"check {check.kind.value} could not be decided: {finding.message}",
        transcript=conversation.transcript,
    )


def _find_where_it_looks(check: Check, replies: Sequence[Reply], tools: CheckTools) -> Finding:
    if check.kind is CheckKind.TOOLS_CALLED:
        return _find_other_calls(check.operand, replies, tools)
    if check.inside is None:
        return _find(check, replies, tools)
    looked_at = captured_as_replies(replies, check.inside)
    if check.kind is CheckKind.NOT_CONTAINS:
        return _find(check, looked_at, tools)
    captured = [reply for reply in looked_at if reply.value is not None]
    if not captured:
        return f"nothing: {PLACE_WORDS[check.inside]} of no answer was captured"
    return _find(check, captured, tools)


def _find_other_calls(
    wanted: Sequence[str], replies: Sequence[Reply], tools: CheckTools
) -> Finding:
    names = called_names(replies)
    if isinstance(names, Nameless):
        shown = beginning(json_words(names.shown, redact=tools.redact))
        return Undecided(message=f"a captured call of a tool has no name: {shown}")
    if follows(wanted, names):
        return None
    return beginning(tools.redact(names_words(names))) if names else names_words(names)


def _find(check: Check, replies: Sequence[Reply], tools: CheckTools) -> Finding:
    match check.kind:
        case CheckKind.CONTAINS:
            return _find_contained(check.operand, replies, tools)
        case CheckKind.NOT_CONTAINS:
            return _first(replies, lambda reply: _find_forbidden(check.operand, reply.text, tools))
        case CheckKind.REGEX:
            return _find_pattern(check.operand, replies, tools)
        case CheckKind.MAX_CHARS | CheckKind.MAX_LATENCY | CheckKind.MAX_COST:
            return _find_too_much(check, replies)
        case _:
            return _find_in_last(check, replies[-1], tools)


def _find_too_much(check: Check, replies: Sequence[Reply]) -> Finding:
    match check.kind:
        case CheckKind.MAX_CHARS:
            return _first(replies, lambda reply: _find_too_long(check.operand, reply))
        case CheckKind.MAX_LATENCY:
            return _first(replies, lambda reply: _find_too_slow(check.operand, reply))
        case _:
            return _find_too_dear(check.operand, replies)


def _find_in_last(check: Check, reply: Reply, tools: CheckTools) -> Finding:
    if check.kind is CheckKind.EQUALS and isinstance(check.operand, str):
        return None if reply.text == check.operand else beginning(tools.redact(reply.text))
    try:
        value = _json_of(reply)
    except ValueError:
        return f"{_NOT_JSON}: {beginning(tools.redact(reply.text))}"
    match check.kind:
        case CheckKind.EQUALS:
            return _find_other(check.operand, value, tools)
        case CheckKind.JSON_PATH:
            return _find_at_path(check.operand, value, tools)
        case _:
            return tools.violation(check.operand, value)


def _first(replies: Sequence[Reply], find: Callable[[Reply], str | None]) -> str | None:
    """Return what is found in the first answer that has something, naming the answer."""
    for number, reply in enumerate(replies, start=1):
        found = find(reply)
        if found is not None:
            return found if len(replies) == 1 else f"answer {number} of {len(replies)}: {found}"
    return None


def _find_contained(wanted: str, replies: Sequence[Reply], tools: CheckTools) -> str | None:
    needle = folded(wanted)
    if any(needle in folded(reply.text) for reply in replies):
        return None
    return beginning(tools.redact(whole_of(replies[-1].text)))


def _find_forbidden(unwanted: str, text: str, tools: CheckTools) -> str | None:
    needle = folded(unwanted)
    return around(tools.redact(text), unwanted) if needle in folded(text) else None


def _find_pattern(pattern: str, replies: Sequence[Reply], tools: CheckTools) -> Finding:
    undecided: Undecided | None = None
    for reply in replies:
        match tools.search(pattern, reply.text):
            case True:
                return None
            case Undecided() as unsure:
                undecided = unsure
            case _:
                pass
    return undecided or beginning(tools.redact(whole_of(replies[-1].text)))


def _find_too_long(limit: int, reply: Reply) -> str | None:
    length = len(reply.text)
    return f"{length} characters" if length > limit else None


def _find_too_slow(limit_seconds: float, reply: Reply) -> str | None:
    seconds = reply.latency_seconds
    return f"{apart(seconds, (limit_seconds,), digits=2)} s" if seconds > limit_seconds else None


def _find_too_dear(limit_usd: float, replies: Sequence[Reply]) -> Finding:
    spent = total(reply.cost_usd for reply in replies)
    if spent is None:
        return Undecided(message="what an answer cost is unknown (target.usage)")
    return usd_words(spent) if spent > limit_usd * (1 + _ROUNDING) else None


def _find_other(wanted: JsonValue, value: JsonValue, tools: CheckTools) -> str | None:
    return None if json_equal(value, wanted) else json_words(value, redact=tools.redact)


def _find_at_path(operand: dict[str, Any], value: JsonValue, tools: CheckTools) -> str | None:
    there = look_up(value, operand["path"])
    if isinstance(there, Missing):
        return str(there)
    return _find_other(operand["equals"], there.value, tools)


def _json_of(reply: Reply) -> JsonValue:
    """Return the reply's JSON value. Raises ValueError for text that is not JSON."""
    if not isinstance(reply.value, str):
        return reply.value
    try:
        return json.loads(reply.text, parse_constant=_refuse_constant)
    except RecursionError as error:
        raise ValueError("nested too deep") from error


def _refuse_constant(name: str) -> JsonValue:
    raise ValueError(f"{name} is not JSON")
