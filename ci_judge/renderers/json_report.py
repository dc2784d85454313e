"""``report.json``: the document itself, each test with its runs. One line a test and a run."""

import json
import math
from collections.abc import Iterator
from typing import Any

from ci_judge.model.document import GroupEntry, ReportDocument, TestEntry
from ci_judge.protocols import RunSource
from ci_judge.visible_text import no_lone_surrogates


def render(document: ReportDocument, runs: RunSource) -> Iterator[str]:
    """Yield strict JSON (RFC 8259) that encodes as UTF-8; what is not finite becomes null."""
    yield "{\n"
    for key, value in document.items():
        if key != "groups":
            yield f"{_json(key)}: {_json(value)},\n"
    yield '"groups": ['
    for group, comma in _with_commas(document["groups"]):
        yield f"{comma}\n"
        yield from _group(group, runs)
    yield "\n]\n}\n"


def _group(group: GroupEntry, runs: RunSource) -> Iterator[str]:
    yield _open({key: value for key, value in group.items() if key != "tests"})
    yield ', "tests": ['
    for test, comma in _with_commas(group["tests"]):
        yield f"{comma}\n"
        yield from _test(test, runs)
    yield "\n]}"


def _test(test: TestEntry, runs: RunSource) -> Iterator[str]:
    yield _open({key: value for key, value in test.items() if key != "runs"})
    yield ', "runs": ['
    for run, comma in _with_commas(runs.runs(test["id"])):
        yield f"{comma}\n{_json(run)}"
    yield "\n]}"


def _with_commas(items: Any) -> Iterator[tuple[Any, str]]:
    for number, item in enumerate(items):
        yield item, "," if number else ""


def _open(value: dict[str, Any]) -> str:
    return _json(value).removesuffix("}")


def _json(value: Any) -> str:
    """Most values are clean already, so cleaning waits until strict writing has failed."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
        text.encode()
    except ValueError:  # UnicodeEncodeError is one too
        return json.dumps(_clean(value), ensure_ascii=False, allow_nan=False)
    return text


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return no_lone_surrogates(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {no_lone_surrogates(key): _clean(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(item) for item in value]
    return value
