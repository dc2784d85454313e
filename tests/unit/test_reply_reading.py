"""A judge's words are read by their meaning, and never as a pass that they do not say."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ci_judge.judges.reply import ReplyProblem, read_reply
from ci_judge.model.judging import Decision

FENCE = "`" * 3


def read_one(text: str) -> Decision | str:
    answer = read_reply(text, items=1)
    return answer.message if isinstance(answer, ReplyProblem) else answer[0]


def verdict(passed: Any, reason: Any = "Because.") -> str:
    return json.dumps({"pass": passed, "reason": reason})


WRAPPINGS = {
    "bare": "{}",
    "white space": "\n\t {} \r\n",
    "byte order mark": "\ufeff{}",
    "fence": FENCE + "json\n{}\n" + FENCE,
    "upper-case fence with CRLF": FENCE + "JSON\r\n{}\r\n" + FENCE + "\r\n",
    "fence without a language": FENCE + "\n{}\n" + FENCE,
    "tilde fence": "~~~\n{}\n~~~",
    "prose around it": "Here is my verdict.\n\n{}\nLet me know if you need more [1].",
    "prose with braces": "I filled in {{name}} as asked. {} (see [sic])",
    "thinking before it": '<think>At first {{"pass": true}} or {{"pass": false}}?</think>\n{}',
    "reasoning before it": '<reasoning>{{"pass": true}}, {{"pass": false}}?</reasoning>\n{}',
    "nested result": '{{"result": {}}}',
    "nested verdict": '{{"verdict": {}}}',
    "list of one": "[{}]",
    "items of one": '{{"items": [{}]}}',
    "twice the same": "{0}\nAgain: {0}",
    "another object before it": 'The reply was {{"total": 80}}. {}',
    "backslashes in prose": r"It costs \$5 in C:\shop. {}",
}


@pytest.mark.parametrize("passed", [True, False])
@pytest.mark.parametrize("wrapping", WRAPPINGS.values(), ids=WRAPPINGS.keys())
def test_a_verdict_is_found_in_every_wrapping(wrapping: str, passed: bool) -> None:  # noqa: FBT001 - a parameter
    assert read_one(wrapping.format(verdict(passed))) == Decision(passed=passed, reason="Because.")


REASONS = [
    f"Quotes {FENCE}14 days{FENCE} verbatim.",
    'Says "no", twice.',
    'The answer held {"pass": true}, which counts for nothing.',
    "Ends with </think> and {braces}.",
    "Zwölf Tage, 十四日",
]


@pytest.mark.parametrize("reason", REASONS)
def test_the_reason_is_what_stands_inside_the_object(reason: str) -> None:
    text = f"So:\n{FENCE}json\n{verdict(passed=False, reason=reason)}\n{FENCE}"
    assert read_one(text) == Decision(passed=False, reason=reason)


@pytest.mark.parametrize("reason", [None, 7, ["a"], {"a": 1}])
def test_a_reason_that_is_no_text_is_left_out(reason: Any) -> None:
    assert read_one(verdict(passed=True, reason=reason)) == Decision(passed=True, reason="")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (r'{"pass": false, "reason": "costs \$14"}', r"costs \$14"),
        (r'{"pass": false, "reason": "in C:\data\x"}', r"in C:\data\x"),
        (r'{"pass": false, "reason": "don\'t"}', r"don\'t"),
        (r'{"pass": false, "reason": "\u12 is short"}', r"\u12 is short"),
        ('{"pass": false, "reason": "one\nline\tmore"}', "one\nline\tmore"),
    ],
)
def test_what_is_clear_despite_illegal_escapes_is_read(text: str, reason: str) -> None:
    assert read_one(text) == Decision(passed=False, reason=reason)


NO_VERDICTS = {
    "empty": "",
    "no object": "INCORRECT.",
    "a word": "PASS",
    "double negation": "Not incorrect, so I would not fail it.",
    "bare true": "true",
    "bare list": "[true]",
    "text of JSON": json.dumps(verdict(passed=True)),
    "empty object": "{}",
    "reason only": '{"reason": "fine", "confidence": 0.9}',
    "null": verdict(None),
    "text true": verdict("true"),
    "text false": verdict("false"),
    "yes": verdict("yes"),
    "one": verdict(1),
    "zero": verdict(0),
    "list": verdict([]),
    "object": verdict({"value": True}),
    "other case": '{"Pass": true}',
    "other key": '{"passed": true}',
    "deeper": '{"answer": {"data": {"pass": true}}}',
    "two that disagree": verdict(passed=True) + verdict(passed=False),
    "a part that disagrees": '{"pass": true, "items": [{"pass": true}, {"pass": false}]}',
    "a deep part that disagrees": '{"pass": true, "a": [{"b": {"pass": "no"}}]}',
    "a fail of passes": '{"pass": false, "parts": [{"pass": true}]}',
    "two keys that disagree": '{"pass": true, "reason": "", "pass": false}',
    "one good, one bad": verdict(passed=True) + verdict("maybe"),
    "cut in the reason": '{"pass": true, "reason": "The answer st',
    "cut in a list": '[{"pass": true},',
    "trailing comma": '{"pass": true, "reason": "x",}',
    "single quotes": "{'pass': True, 'reason': 'x'}",
    "Python's True": '{"pass": True}',
    "bare keys": "{pass: true}",
    "comment": '{"pass": true, // fine\n "reason": "x"}',
    "NaN beside it": '{"pass": true, "confidence": NaN}',
    "quotes not escaped": '{"pass": false, "reason": "it says "{"pass": true}" itself"}',
    "broken object around it": '{"verdict": "fail" "quote": {"pass": true}}',
    "broken keys around it": '{pass: false, "quote": {"pass": true}}',
    "unfinished thought": '<think>Perhaps {"pass": true} would do',
    "too many verdicts": f"[{verdict(passed=True)}, {verdict(passed=True)}]",
    "a huge number": '{"pass": true, "confidence": ' + "9" * 5000 + "}",
    "nested too deeply": '{"pass": true, "reason": ' + "[" * 100_000,
    "far too many brackets": "[ " * 5000 + verdict(passed=True),
    "far too long": " " * 1_000_001 + verdict(passed=True),
}


@pytest.mark.parametrize("text", NO_VERDICTS.values(), ids=NO_VERDICTS.keys())
def test_what_is_no_clear_verdict_is_a_problem(text: str) -> None:
    problem = read_one(text)
    assert isinstance(problem, str), problem
    assert "\n" not in problem


@pytest.mark.parametrize("parts", [[True, True], [True, False], [False]])
def test_verdicts_on_parts_that_add_up_to_the_verdict_are_fine(parts: list[bool]) -> None:
    text = json.dumps({"pass": all(parts), "reason": "", "parts": [{"pass": one} for one in parts]})
    assert read_one(text) == Decision(passed=all(parts), reason="")


def test_the_problem_names_what_stood_there_instead_of_a_boolean() -> None:
    assert read_one(verdict("false")) == "'pass' must be true or false, the reply says \"false\""


def test_each_item_of_a_list_is_read_in_order() -> None:
    text = '{"items": [{"pass": true, "reason": "a"}, {"pass": false, "reason": "b"}]}'
    expected = (Decision(passed=True, reason="a"), Decision(passed=False, reason="b"))
    assert read_reply(text, items=2) == expected
    assert read_reply(json.dumps(json.loads(text)["items"]), items=2) == expected


@pytest.mark.parametrize(
    "text",
    [
        verdict(passed=True),
        f'{{"items": [{verdict(passed=True)}]}}',
        f'{{"items": [{verdict(passed=True)}, {{"reason": "?"}}]}}',
        f'{{"items": [{verdict(passed=True)}, true]}}',
        f'{{"items": {json.dumps([{"pass": True}] * 3)}}}',
        verdict(passed=True) + "\n" + verdict(passed=True),
    ],
)
def test_a_missing_or_extra_item_is_a_problem(text: str) -> None:
    assert isinstance(read_reply(text, items=2), ReplyProblem)


PIECES = st.sampled_from(
    [
        '"pass"', '"pass": true', '"pass": false', '"pass": "true"', "'pass'", "{", "}", "[", "]",
        ",", ":", "true", "True", "false", '"reason"', '"', '\\"', "\\", " ", "\n", FENCE,
        "<think>", "</think>", "items", '"items": [', "result", "pass", "PASS", "\\$", "0",
        "1e999", "NaN",
    ]
)  # fmt: skip


def _says_true(text: str) -> bool:
    squeezed = "".join(text.split())
    return '"pass":true' in squeezed


@given(st.one_of(st.text(), st.lists(PIECES, max_size=25).map("".join)), st.integers(1, 3))
def test_no_text_without_a_true_at_pass_is_a_pass(text: str, items: int) -> None:
    answer = read_reply(text, items=items)
    if not isinstance(answer, ReplyProblem):
        assert len(answer) == items
        assert _says_true(text) or not any(decision.passed for decision in answer)


@given(
    st.text(max_size=30).filter(lambda text: not set(text) & set("{[<\"'`:")),
    st.booleans(),
    st.text(max_size=60),
    st.text(max_size=30).filter(lambda text: not set(text) & set("{[\"'`:")),
)
def test_any_reason_between_any_prose_comes_back(
    before: str,
    passed: bool,  # noqa: FBT001 - drawn
    reason: str,
    after: str,
) -> None:
    text = before + json.dumps({"pass": passed, "reason": reason}, ensure_ascii=False) + after
    assert read_one(text) == Decision(passed=passed, reason=reason)


VERDICTS = st.recursive(
    st.one_of(st.booleans(), st.none(), st.text(max_size=5)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["pass", "reason", "items", "result", "a"]), inner),
    ),
    max_leaves=12,
)


def every_pass(value: Any) -> list[Any]:
    if isinstance(value, list):
        return [found for item in value for found in every_pass(item)]
    if not isinstance(value, dict):
        return []
    return [value["pass"]] * ("pass" in value) + every_pass(list(value.values()))


@given(VERDICTS, st.integers(1, 3))
def test_where_any_pass_is_not_true_not_everything_passes(value: Any, items: int) -> None:
    answer = read_reply(json.dumps(value), items=items)
    if not isinstance(answer, ReplyProblem) and all(decision.passed for decision in answer):
        assert set(map(type, every_pass(value))) == {bool}
        assert all(every_pass(value))


@pytest.mark.parametrize(
    "text",
    [
        'x <think>{"pass": true}</think> no verdict',
        'Well. <THINKING>{"pass": true}',
        '{"pass": true}</think> I cannot say.',
        '<think>a</think> so <reasoning>{"pass": true}</reasoning>',
    ],
)
def test_what_is_thought_is_no_verdict(text: str) -> None:
    assert isinstance(read_one(text), str)


def test_several_thoughts_stand_before_a_verdict() -> None:
    text = '<think>{"pass": false}</think>\n<thought>b</thought> ' + verdict(passed=True)
    assert read_one(text) == Decision(passed=True, reason="Because.")
    swallowed = "So it holds.\n</think>\n" + verdict(passed=True)
    assert read_one(swallowed) == Decision(passed=True, reason="Because.")


@pytest.mark.parametrize(
    "text",
    [
        '{"PASS": false} {"pass": true}',
        '{"Pass": false, "pass": true}',
        '{" pass ": false} {"pass": true}',
        '{"pass": true, "parts": [{"PASS": false}]}',
    ],
)
def test_a_verdict_that_is_spelt_otherwise_is_not_passed_over(text: str) -> None:
    assert isinstance(read_one(text), str)
