"""promptfoo's providers: the one that is an HTTP endpoint, and the one that judges."""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from ci_judge.model.suite import JsonValue
from ci_judge.workflows.importing.foreign import Foreign
from ci_judge.workflows.importing.nunjucks import names_in

PLACEHOLDER: Final = {"url": "http://127.0.0.1:8000/chat", "response_path": "reply"}
_HTTP = re.compile(r"https?(?:://.+)?")
_ENV = re.compile(r"\{\{\s*env\.([A-Za-z_]\w*)\s*\}\}")
_PROMPT = re.compile(r"\{\{\s*prompt\s*(?:\|\s*(?:dump|safe)\s*)*\}\}")
_DUMPED = re.compile(r"\{\{\s*([\w.]+)\s*(?:\|\s*(?:dump|safe)\s*)+\}\}")
_BARE = re.compile(r"(?<!\")\{\{\s*([\w.]+)\s*\}\}(?!\")")
_OPTIONAL = re.compile(r"(\{%-?\s*if\b[^%]*%\}).*?\{%-?\s*endif\s*-?%\}", re.DOTALL)
_OUTPUT = re.compile(r"output((?:\??\.\w+|\[\d+\]|\[['\"]\w+['\"]\])+)")
_STEP = re.compile(r"\w+")
_OTHER = re.compile(r"\{\{[^{}]*\}\}")
_PATH = re.compile(r"(?:\(?\s*json\s*\)?)((?:\??\.\w+|\[\d+\]|\[['\"]\w+['\"]\])+)")
_METHODS: Final = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE"})
_KNOWN: Final = frozenset(
    {
        *("url", "method", "headers", "body", "queryParams"),
        *("transformResponse", "responseParser", "maxRetries"),
    }
)
_JUDGES: Final = {"openai": ("chat", "responses"), "anthropic": ("messages",)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """The section ``target``; ``message`` is what fills it, where prompts are not what is sent."""

    target: Mapping[str, JsonValue]
    message: Any = None

    @property
    def sends_history(self) -> bool:
        """Tell whether what was said before reaches it: in the body that is ours by default."""
        return "body" not in self.target


def endpoint_of(config: Foreign) -> Endpoint:
    """Give the first HTTP provider, else a place to fill in."""
    found: Endpoint | None = None
    for provider in _providers(config):
        name = provider.data if isinstance(provider.data, str) else provider.text("id") or "?"
        if found is None and _HTTP.fullmatch(name):
            found = _http(provider, name, _transform(config))
        else:
            text = f"the provider {name} has no counterpart: the target is your own endpoint"
            provider.note(text)
    return found or Endpoint(target=PLACEHOLDER)


def is_path(code: object) -> bool:
    """Tell whether code does no more than name a place in the output."""
    return isinstance(code, str) and _OUTPUT.fullmatch(code.strip()) is not None


def _transform(config: Foreign) -> str | None:
    """Give the place in the output that every test looks at, where one is named."""
    default = config.get("defaultTest")
    options = default.get("options") if default else None
    code = options.data.get("transform") if options and isinstance(options.data, Mapping) else None
    found = _OUTPUT.fullmatch(code.strip()) if isinstance(code, str) else None
    return ".".join(_STEP.findall(found[1])) if found else None


def _providers(config: Foreign) -> Iterator[Foreign]:
    for key in ("providers", "targets"):
        section = config.get(key)
        if section is not None:
            yield from section.items()


def _http(provider: Foreign, name: str, transform: str | None) -> Endpoint:
    config = provider.get("config") if isinstance(provider.data, Mapping) else None
    given: Mapping[str, Any] = config.data if config and isinstance(config.data, Mapping) else {}
    for key in given:
        if key not in _KNOWN and config is not None:
            config.note(f"the key {key} of an HTTP provider has no counterpart", key=key)
    target: dict[str, JsonValue] = {"url": _filled(given.get("url") or name, provider)}
    method = str(given.get("method", "POST")).upper()
    if method in _METHODS and method != "POST":
        target["method"] = method
    for theirs, ours in (("headers", "headers"), ("queryParams", "query")):
        if isinstance(given.get(theirs), Mapping):
            target[ours] = _filled(dict(given[theirs]), provider)
    message = None
    if given.get("body") is not None:
        body, message = _body_and_message(_body(given["body"], provider))
        target["body"] = _filled(body, provider)
    steps = [_response_path(given, config or provider), transform]
    path = ".".join(step for step in steps if step)
    return Endpoint(target={**target, "response_path": path} if path else target, message=message)


def _body_and_message(body: Any) -> tuple[Any, Any]:
    """Give a body of ours and what fills it, None where the prompt does.

    A body with variables of the tests is filled with each test's: as one variable, or as a whole.
    """
    names = {name for text in _texts(body) for name in names_in(text) if name[:4] != "env."}
    if not names - {"prompt"}:
        return body, None
    if len(names) > 1:
        return "{{message}}", body
    (name,) = names
    place = re.compile(rf"\{{\{{\s*{re.escape(name)}\s*\}}\}}")
    return _replaced(body, place), f"{{{{{name}}}}}"


def _replaced(value: Any, place: re.Pattern[str]) -> Any:
    """Put the message in the place of a variable, wherever that stands."""
    if isinstance(value, str):
        return place.sub("{{message}}", value)
    if isinstance(value, Mapping):
        return {key: _replaced(item, place) for key, item in value.items()}
    return [_replaced(item, place) for item in value] if isinstance(value, list) else value


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(item)


def _body(body: Any, provider: Foreign) -> Any:
    """Read a body that is a JSON text, so that what fills it is data and stays it."""
    if not isinstance(body, str):
        return body
    plain = _DUMPED.sub(r"{{\1}}", body)
    for part in _OPTIONAL.finditer(plain):
        provider.note(f"the part {part[1]} of the request depends on the test and is left out")
    plain = _OPTIONAL.sub("", plain)
    for text in (plain, _BARE.sub(r'"{{\1}}"', plain)):
        with suppress(ValueError):
            return json.loads(text)
    return plain


def _filled(value: Any, provider: Foreign) -> Any:
    if isinstance(value, str):
        ours = _PROMPT.sub("{{message}}", _ENV.sub(r"${\1}", value))
        for other in _OTHER.findall(ours.replace("{{message}}", "")):
            provider.note(f"{other} in the request has no counterpart: only the message fills it")
            ours = ours.replace(other, "")
        return ours
    if isinstance(value, Mapping):
        return {key: _filled(item, provider) for key, item in value.items()}
    return [_filled(item, provider) for item in value] if isinstance(value, list) else value


def _response_path(given: Mapping[str, Any], at: Foreign) -> str | None:
    for key in ("transformResponse", "responseParser"):
        code = given.get(key)
        if code is None:
            continue
        found = _PATH.fullmatch(code.strip()) if isinstance(code, str) else None
        if found is not None:
            return ".".join(_STEP.findall(found[1]))
        if code not in ("text", "json"):
            at.note(f"the {key} is code; response_path names a place in the reply", key=key)
    return None


def judge_of(graders: list[Foreign], at: Foreign) -> dict[str, JsonValue]:
    """Give the section ``judge``: the grader that is named, else the stub."""
    for grader in graders:
        name = grader.data if isinstance(grader.data, str) else grader.text("id") or ""
        provider, _, rest = name.partition(":")
        kind, _, model = rest.partition(":")
        if provider in _JUDGES and rest:
            return {"provider": provider, "model": model if kind in _JUDGES[provider] else rest}
        grader.note(f"the grader {name or '?'} has no counterpart among the judges")
    at.note("no judge is named that is known here: judge.provider is stub until you name one")
    return {"provider": "stub"}
