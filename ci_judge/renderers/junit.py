"""JUnit XML. The one place that knows junit-xml, and the traps of its release 1.9.

It drops a failure without a message (readers then count a pass), leaves out a time of zero, prints
times in scientific notation, always writes ``disabled``, knows no properties of a case, writes
characters that XML forbids, and cannot encode lone surrogates. So texts are cleaned before it sees
them, and what it builds is put right and read again afterwards.
"""

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from hashlib import sha256
from html import escape
from pathlib import PurePosixPath
from typing import Any, Final

from junit_xml import TestCase, TestSuite

from ci_judge.model.document import GroupEntry, JudgeEntry, ReportDocument, RunEntry, TestEntry
from ci_judge.protocols import RunSource
from ci_judge.renderers.attempt_history import earlier_results
from ci_judge.renderers.next_steps import next_step
from ci_judge.renderers.shown_runs import clipped, first_bad_run, passages
from ci_judge.renderers.troubles import trouble_lines
from ci_judge.renderers.waivers import waiver_words
from ci_judge.renderers.wording import Standing, standing
from ci_judge.visible_text import one_line, visible

SYSTEM_OUT_BYTES: Final = 8 * 1024
MESSAGE_CHARS: Final = 300
NAME_CHARS: Final = 1000
_PASSAGE_CHARS: Final = 2000
_TO_EXPLAIN: Final = frozenset({"failed", "error", "waived", "advisory"})
_BYTES: Final = ("utf-8", "surrogatepass")


class UnreadableJUnit(Exception):
    """What was built does not read back as what was meant: a bug, never a user's mistake."""


def render(document: ReportDocument, runs: RunSource) -> Iterator[str]:
    """Yield the file suite by suite; raises UnreadableJUnit when the self-check fails."""
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield _root(document)
    for group in document["groups"]:
        if group["tests"]:
            yield _suite(document, group, runs)
    yield "</testsuites>\n"


def _root(document: ReportDocument) -> str:
    tests = [test for group in document["groups"] for test in group["tests"]]
    totals = {**_counts(tests), "time": _time(sum(test["duration_seconds"] for test in tests))}
    attributes = " ".join(f'{name}="{escape(value)}"' for name, value in totals.items())
    return f'<testsuites name="CI Judge" {attributes}>\n'


def _suite(document: ReportDocument, group: GroupEntry, runs: RunSource) -> str:
    suite = TestSuite(
        _text(group["id"]),
        [_case(test, _bad_run(test, runs)) for test in group["tests"]],
        timestamp=document["run"]["started"].partition(".")[0].removesuffix("Z"),
        file=_text(group["file"]),
    )
    element = suite.build_xml_doc()
    _put_right(element, group["tests"], document)
    text = ET.tostring(element, encoding="unicode")
    _read_again(text, group["tests"])
    return f"{text}\n"


def _bad_run(test: TestEntry, runs: RunSource) -> RunEntry | None:
    return first_bad_run(test, runs) if standing(test) in _TO_EXPLAIN else None


def _case(test: TestEntry, bad: RunEntry | None) -> TestCase:
    case = TestCase(
        _name(test["id"]),
        classname=_classname(test),
        elapsed_sec=test["duration_seconds"],
        file=_text(test["file"]),
        line=test["line"],
        stdout=_output(test, bad),
    )
    _add_result(case, test, bad)
    return case


def _output(test: TestEntry, bad: RunEntry | None) -> str | None:
    """Tell why runs ended in errors, then the run that explains the result; None without both."""
    told = [_text("\n".join(map(str, trouble_lines(test)))), _story(test, bad) if bad else ""]
    return _within("\n\n".join(filter(None, told)), SYSTEM_OUT_BYTES) or None


def _name(test_id: str) -> str:
    """Keep names apart that cleaning would merge: readers take two of a name for a retry."""
    name = one_line(test_id, limit=NAME_CHARS)
    return name if name == test_id else f"{name} #{sha256(test_id.encode(*_BYTES)).hexdigest()[:8]}"


def _classname(test: TestEntry) -> str:
    """Dotted, as readers that build a tree want it: folders and file without its ending."""
    path = PurePosixPath(_text(test["file"]))
    parts = [part.replace(".", "_") for part in (*path.parent.parts, path.stem) if part != "/"]
    return ".".join(parts) or "tests"


def _add_result(case: TestCase, test: TestEntry, bad: RunEntry | None) -> None:
    message, details = _message(test, bad), _details(test, bad)
    match standing(test):
        case "failed":
            case.add_failure_info(message, details, _text(test["gate"]["decision"]))
        case "error":
            case.add_error_info(message, details, _error_type(bad))
        case "waived":
            told = f"{waiver_words(test)}; {message}"
            case.add_skipped_info(one_line(told, limit=MESSAGE_CHARS), details)
        case "advisory":
            case.add_skipped_info(one_line(f"advisory: {message}", limit=MESSAGE_CHARS), details)
        case "skipped":
            case.add_skipped_info(message, details)
        case "passed":
            pass


def _message(test: TestEntry, bad: RunEntry | None) -> str:
    """One line that is never empty, because readers take an empty one for a pass."""
    if test["result"] == "skipped":
        return one_line(f"skipped: {test['skip_reason'] or 'no reason given'}", limit=MESSAGE_CHARS)
    parts = [test["gate"]["sentence"], *_short_reasons(test, bad)]
    return one_line(" ".join(parts).strip(), limit=MESSAGE_CHARS) or "failed"


def _short_reasons(test: TestEntry, bad: RunEntry | None) -> Iterator[str]:
    """Why runs ended in errors where that is most of the matter, else why the first one failed."""
    if test["errors"] > test["fails"]:
        yield from map(str, trouble_lines(test))
    elif bad and bad["reason"].strip():
        yield f"First: {bad['reason']}"


def _details(test: TestEntry, bad: RunEntry | None) -> str:
    gate = test["gate"]
    lines = [f"{test['name']}", gate["sentence"], f"Needs {gate['needs']}."]
    if test["skip_reason"]:
        lines.append(f"Skipped: {test['skip_reason']}")
    lines += map(str, trouble_lines(test))
    if standing(test) in _TO_EXPLAIN:
        lines.append(f"Next: {next_step(test)}")
    if bad:
        lines += ["", _story(test, bad)]
    return _within(_text("\n".join(lines)), SYSTEM_OUT_BYTES)


def _story(test: TestEntry, run: RunEntry) -> str:
    told = [
        f"{title}:\n{_indented(clipped(text, _PASSAGE_CHARS))}"
        for title, text in passages(test, run)
    ]
    return _text("\n".join([f"Run {run['number']} of {test['planned']}", *told]))


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.split("\n"))


def _error_type(bad: RunEntry | None) -> str:
    return bad["outcome"] if bad else "undecided"


def _text(text: str) -> str:
    """Clean for XML 1.0: U+0085 is legal in it, and a lone CR would be read back as a line end."""
    return visible(text, keep="\n\t\x85")


def _within(text: str, limit_bytes: int) -> str:
    """Cut at a character, so that the text is at most so many bytes of UTF-8, and say so."""
    data = text.encode()
    if len(data) <= limit_bytes:
        return text
    note = "\n[cut here; the report has all of it]"
    return data[: limit_bytes - len(note)].decode(errors="ignore") + note


def _put_right(suite: ET.Element, tests: list[TestEntry], document: ReportDocument) -> None:
    suite.attrib.pop("disabled", None)
    suite.set("time", _time(sum(test["duration_seconds"] for test in tests)))
    for element, test in zip(suite.findall("testcase"), tests, strict=True):
        element.set("time", _time(test["duration_seconds"]))
        element.insert(0, _properties(test, document))


def _properties(test: TestEntry, document: ReportDocument) -> ET.Element:
    element = ET.Element("properties")
    for name, value in _facts(test, document).items():
        if value is not None:
            ET.SubElement(element, "property", name=name, value=_text(str(value)))
    return element


def _changed_models(judge: JudgeEntry | None) -> str | None:
    """Name the models that answered for a judge of which it should have been one."""
    judges = (judge["panel"] or (judge,)) if judge else ()
    changed = [each["models_answered"] for each in judges if len(each["models_answered"]) > 1]
    return ", ".join(model for models in changed for model in models) or None


def _decimal_usd(amount: float | None) -> str:
    """Write money in full, never as 1e-05; what is unknown says so."""
    return "unknown" if amount is None else f"{amount:.10f}".rstrip("0").rstrip(".")


def _change(test: TestEntry) -> dict[str, Any]:
    """Give what became of the test since the baseline, and how rare that is by chance."""
    change = test["change"]
    difference = change and change["difference"]
    return {
        "change": change and change["kind"],
        "change_p": f"{difference['p']:.6f}" if difference else None,
    }


def _facts(test: TestEntry, document: ReportDocument) -> dict[str, Any]:
    judge = document["judge"]
    low, high = test["interval"]
    return {
        "name": one_line(test["name"], limit=NAME_CHARS),
        "kind": test["kind"],
        "result": test["result"],
        "advisory": "true" if test["advisory"] else None,
        "waiver": waiver_words(test) or None,
        "row": test["row"],
        "runs": test["planned"],
        "passes": test["passes"],
        "stopped_after": test["stopped_after"],
        "fails": test["fails"],
        "errors": test["errors"],
        "suspicious": test["suspicious"] or None,
        "earlier_results": earlier_results(test) or None,
        "replayed": test["replayed"] or None,
        "judge_changed": _changed_models(judge),
        "cost_usd": _decimal_usd(test["cost_usd"]),
        "rate": _decimal(test["rate"]),
        "interval": f"{low:.4f} {high:.4f}",
        "corrected": _corrected(test),
        "calibration": judge and judge["calibration"] and judge["calibration"]["problem"],
        **_change(test),
        "gate": test["gate"]["kind"],
        "threshold": test["gate"]["threshold_text"],
        "needs": test["gate"]["needs"],
        "seed": document["run"]["seed"],
        "judge": judge and judge["provider"],
        "model": judge and judge["model"],
    }


def _corrected(test: TestEntry) -> str | None:
    """Write the rate without the judge's own error, and the ends of its interval."""
    corrected = test["corrected"]
    if corrected is None:
        return None
    low, high = corrected["interval"]
    return f"{corrected['rate']:.4f} {low:.4f} {high:.4f}"


def _decimal(rate: float | None) -> str | None:
    return None if rate is None else f"{rate:.4f}"


def _time(seconds: float) -> str:
    """Print in fixed point with milliseconds, never negative, never in scientific notation."""
    return f"{max(seconds, 0.0):.3f}"


def _counts(tests: list[TestEntry]) -> dict[str, str]:
    def count(*wanted: Standing) -> str:
        return str(sum(standing(test) in wanted for test in tests))

    return {
        "tests": str(len(tests)),
        "failures": count("failed"),
        "errors": count("error"),
        "skipped": count("skipped", "waived", "advisory"),
    }


def _read_again(text: str, tests: list[TestEntry]) -> None:
    """Hold the written suite against what it should say, as a reader will see it."""
    try:
        suite = ET.fromstring(text)  # noqa: S314 - our own text, just written
    except ET.ParseError as error:
        raise UnreadableJUnit(str(error)) from error
    found = {"tests": len(suite.findall("testcase"))} | {
        counted: len(suite.findall(f"testcase/{tag}"))
        for counted, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped"))
    }
    wanted = _counts(tests)
    if {key: str(value) for key, value in found.items()} != wanted:
        raise UnreadableJUnit(f"wrote {found}, meant {wanted}")
