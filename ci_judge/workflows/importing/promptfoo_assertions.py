"""promptfoo's assertions as expectations and checks."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from ci_judge.check_tools import pattern_error, schema_error
from ci_judge.model.suite import JsonValue
from ci_judge.workflows.importing.foreign import Foreign, named_file, text_of_file
from ci_judge.workflows.importing.imported import without_phrases
from ci_judge.workflows.importing.nunjucks import Untranslatable, rendered

_NOT: Final = "not-"
_TEXT_FILES = frozenset({".txt", ".md", ".json"})
_IGNORED = frozenset({"type", "value", "threshold", "metric", "weight", "provider", "rubricPrompt"})


@dataclass(slots=True)
class Wanted:
    """What the assertions of one test come to."""

    expected: list[str] = field(default_factory=list)
    checks: list[dict[str, JsonValue]] = field(default_factory=list)


def translate(assertion: Foreign, values: Mapping[str, Any], wanted: Wanted) -> None:
    """Add an assertion, or note why it cannot be one."""
    if isinstance(assertion.data, Mapping) and isinstance(assertion.data.get("$ref"), str):
        assertion = assertion.referred(assertion.data["$ref"]) or assertion
    data = assertion.data
    if not isinstance(data, Mapping) or not isinstance(data.get("type"), str):
        assertion.note("an assertion without a type has no counterpart")
        return
    kind = data["type"].strip()
    if kind == "assert-set" and data.get("threshold") is None:
        inner = assertion.get("assert")
        for each in inner.items() if inner else ():
            translate(each, values, wanted)
        return
    maker = _MAKERS.get(kind)
    if maker is None:
        assertion.note(f"the assertion {kind} has no counterpart")
        return
    _note_extras(assertion, kind)
    try:
        maker(_Assertion(kind=kind, foreign=assertion, values=values, wanted=wanted))
    except Untranslatable as error:
        assertion.note(f"the assertion {kind} {error}: it has no counterpart")


def _note_extras(assertion: Foreign, kind: str) -> None:
    data = assertion.data
    for key in data:
        if key not in _IGNORED:
            assertion.note(f"the key {key} of an assertion has no counterpart", key=key)
    if data.get("weight") not in (None, 1, 1.0):
        text = "the weight of an assertion has no counterpart: here every one must hold"
        assertion.note(text, key="weight")
    if data.get("threshold") is not None and kind not in {"latency", "cost"}:
        text = f"the threshold of {kind} has no counterpart: a judge says whether it holds"
        assertion.note(text, key="threshold")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Assertion:
    kind: str
    foreign: Foreign
    values: Mapping[str, Any]
    wanted: Wanted

    def value(self) -> Any:
        """Give the value with its variables filled in, and the content of a file it names."""
        raw = self.foreign.data.get("value")
        if isinstance(raw, bool | int | float):
            raw = self.foreign.text("value")
        if isinstance(raw, str):
            path = named_file(raw.strip(), self.foreign.folder)
            if path is not None:
                content = None
                if path.suffix.lower() in _TEXT_FILES:
                    content = text_of_file(path, root=self.foreign.folder)
                if content is None:
                    raise Untranslatable(f"takes its value from {raw.strip()}")
                raw = content
        return rendered(raw, self.values)

    def text(self) -> str:
        value = self.value()
        if not isinstance(value, str) or not value.strip():
            raise Untranslatable("has no text as its value")
        return value

    def texts(self) -> list[str]:
        value = self.value()
        if isinstance(value, str):
            value = [part.strip() for part in value.split(",")]
        if not isinstance(value, list) or not value:
            raise Untranslatable("has no list as its value")
        parts = [part if isinstance(part, str) else json.dumps(part) for part in value]
        filled = [part for part in parts if part.strip()]
        if not filled:
            raise Untranslatable("has no text in its list")
        if filled != parts:
            self.foreign.note(
                f"an empty text of {self.kind}, which every answer holds, is left out"
            )
        return filled

    def check(self, kind: str, operand: JsonValue) -> None:
        self.wanted.checks.append({kind: operand})

    def pattern(self, pattern: str) -> None:
        problem = pattern_error(pattern)
        if problem is not None:
            raise Untranslatable(f"has a pattern that is none here ({problem})")
        self.check("regex", pattern)


def _contains(assertion: _Assertion) -> None:
    text = assertion.text()
    if "icontains" not in assertion.kind and any(letter.isalpha() for letter in text):
        assertion.foreign.note(
            f"{assertion.kind} heeds upper and lower case, contains here does not"
        )
    assertion.check("not_contains" if assertion.kind.startswith(_NOT) else "contains", text)


def _contains_all(assertion: _Assertion) -> None:
    for text in assertion.texts():
        assertion.check("contains", text)


def _contains_any(assertion: _Assertion) -> None:
    flags = "(?i)" if assertion.kind.startswith("i") else ""
    assertion.pattern(f"{flags}(?:{'|'.join(map(re.escape, assertion.texts()))})")


def _contains_none(assertion: _Assertion) -> None:
    for text in assertion.texts():
        assertion.check("not_contains", text)


def _equals(assertion: _Assertion) -> None:
    value = assertion.value()
    if value is None:
        raise Untranslatable("has no value")
    assertion.check("equals", value)


def _starts_with(assertion: _Assertion) -> None:
    assertion.pattern(rf"\A{re.escape(assertion.text())}")


def _regex(assertion: _Assertion) -> None:
    assertion.pattern(assertion.text())


def _not_regex(assertion: _Assertion) -> None:
    pattern = assertion.text()
    if pattern_error(pattern) is not None:
        assertion.pattern(pattern)
    assertion.pattern(rf"\A(?![\s\S]*(?:{pattern}))")


def _is_json(assertion: _Assertion) -> None:
    schema = assertion.value()
    if isinstance(schema, str):
        try:
            schema = json.loads(schema)
        except ValueError as error:
            raise Untranslatable("has a schema that is not JSON") from error
    schema = {} if schema is None else schema
    problem = schema_error(schema) if isinstance(schema, dict) else "it is no map"
    if problem is not None:
        raise Untranslatable(f"has a schema that is none here ({problem})")
    assertion.check("json_schema", schema)


def _rubric(assertion: _Assertion) -> None:
    value = assertion.value()
    texts = value if isinstance(value, list) else [value]
    if not texts or not all(isinstance(text, str) and text.strip() for text in texts):
        raise Untranslatable("has no text as its value")
    assertion.wanted.expected.extend(without_phrases(text) for text in texts)


def _factuality(assertion: _Assertion) -> None:
    fact = without_phrases(assertion.text())
    assertion.wanted.expected.append(f"Agrees with this, and contradicts nothing in it: {fact}")


def _refusal(assertion: _Assertion) -> None:
    refuses = assertion.kind.startswith(_NOT)
    text = "Does what was asked, and does not refuse it." if refuses else "Refuses what was asked."
    assertion.wanted.expected.append(text)


def _latency(assertion: _Assertion) -> None:
    limit = assertion.foreign.data.get("threshold")
    if not isinstance(limit, int | float) or not 0 < limit <= 86_400_000:  # noqa: PLR2004 - a day
        raise Untranslatable("has no threshold in milliseconds")
    seconds = limit % 1000 == 0
    assertion.check("max_latency", f"{limit / 1000:g}s" if seconds else f"{limit:.15g}ms")


def _cost(assertion: _Assertion) -> None:
    del assertion
    raise Untranslatable("needs prices (max_cost does it, with target.usage)")


_MAKERS: Final[Mapping[str, Callable[[_Assertion], None]]] = {
    "contains": _contains,
    "icontains": _contains,
    "not-contains": _contains,
    "not-icontains": _contains,
    "contains-all": _contains_all,
    "icontains-all": _contains_all,
    "contains-any": _contains_any,
    "icontains-any": _contains_any,
    "not-contains-any": _contains_none,
    "not-icontains-any": _contains_none,
    "equals": _equals,
    "starts-with": _starts_with,
    "regex": _regex,
    "not-regex": _not_regex,
    "is-json": _is_json,
    "llm-rubric": _rubric,
    "model-graded-closedqa": _rubric,
    "g-eval": _rubric,
    "factuality": _factuality,
    "model-graded-factuality": _factuality,
    "is-refusal": _refusal,
    "not-is-refusal": _refusal,
    "latency": _latency,
    "cost": _cost,
}
