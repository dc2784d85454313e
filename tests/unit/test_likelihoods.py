"""The likelihood of a verdict, out of tokens of every cut and shape."""

import itertools
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ci_judge.judges.likelihoods import LikelihoodProblem, read_likelihoods
from ci_judge.model.judging import Decision, Likelihood

YES = Decision(passed=True, reason="It is 80.")
NO = Decision(passed=False, reason="It is 79.")


def token(text: str | bytes, p: float = 1.0, **others: float) -> dict[str, Any]:
    """Give a token with its likelihood and those of the tokens listed beside it."""
    listed = [entry(other, likelihood) for other, likelihood in others.items()]
    return entry(text, p) | {"top_logprobs": listed}


def entry(text: str | bytes, p: float) -> dict[str, Any]:
    logprob = math.log(p) if p else -9999.0
    if isinstance(text, bytes):
        return {"token": text.decode(errors="replace"), "bytes": list(text), "logprob": logprob}
    return {"token": text, "bytes": None, "logprob": logprob}


def choice(*tokens: dict[str, Any]) -> dict[str, Any]:
    return {"logprobs": {"content": list(tokens)}}


def likelihood(*tokens: dict[str, Any], decision: Decision = YES) -> Likelihood:
    (found,) = found_all(*tokens, decisions=[decision])
    return found


def found_all(*tokens: dict[str, Any], decisions: list[Decision]) -> tuple[Likelihood, ...]:
    found = read_likelihoods(choice(*tokens), decisions)
    assert not isinstance(found, LikelihoodProblem), found
    return found


def problem(said: dict[str, Any], *decisions: Decision) -> str:
    found = read_likelihoods(said, decisions)
    assert isinstance(found, LikelihoodProblem), found
    return found.message


REST = token(', "reason": "It is 80."}')


def test_true_is_weighed_against_false_alone() -> None:
    found = likelihood(
        token('{"pass":'), token(" true", 0.6, **{" false": 0.2, "\n": 0.15, " True": 0.05}), REST
    )
    assert found.probability == pytest.approx(0.75)
    assert found.reason == "It is 80."


@pytest.mark.parametrize(
    "tokens",
    [
        [token('{"'), token("pass"), token('":'), token("true", 0.3, false=0.1), REST],
        [token('{"pass"'), token(":true", 0.3, **{":false": 0.1, ": null": 0.6}), REST],
        [token('{"pass": '), token("t", 0.3, f=0.1, n=0.6), token("rue"), REST],
        [token('{"pass": true', 0.3, **{'{"pass": false': 0.1, '{"verdict"': 0.6}), REST],
        [token('{"pass" :\n'), token(" true", 0.2, true=0.1, false=0.1), REST],
        [
            *(token("```"), token("json\n"), token('{"pass": ')),
            *(token("true,", 0.3, **{"false,": 0.1}), token(' "reason": "It is 80."}\n```')),
        ],
        [
            *(token(b'{"reason": "\xf0\x9f'), token(b'\x8e\x89", "pass": ')),
            *(token("true", 0.3, false=0.1), token("}")),
        ],
        [
            token('{"pass": '),
            token("true", 0.3, false=0.1),
            token(', "reason": "\\"pass\\": false"}'),
        ],
    ],
    ids=["plain", "colon", "letters", "whole", "spaces", "fence", "half characters", "quoted"],
)
def test_tokens_may_be_cut_anywhere(tokens: list[dict[str, Any]]) -> None:
    assert likelihood(*tokens).probability == pytest.approx(0.75)


def test_several_verdicts_have_a_likelihood_each() -> None:
    first = [token('{"items": [{"pass": '), token("true", 0.9, false=0.1)]
    second = [token(', "reason": ""}, {"pass": '), token("false", 0.8, true=0.2)]
    found = found_all(*first, *second, token(', "reason": ""}]}'), decisions=[YES, NO])
    assert [each.probability for each in found] == pytest.approx([0.9, 0.2])


def test_a_word_that_is_not_listed_weighs_nothing() -> None:
    certain = [token('{"pass": '), token("false", 0.99), token(', "reason": "It is 79."}')]
    assert likelihood(*certain, decision=NO).probability == 0


def test_a_reason_that_speaks_against_the_likelier_side_is_left_out() -> None:
    unlucky = [token('{"pass": '), token("false", 0.2, true=0.6), token("}")]
    found = likelihood(*unlucky, decision=NO)
    assert found.probability == pytest.approx(0.75)
    assert found.reason == ""


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"logprobs": None},
        {"logprobs": {"content": None}},
        {"logprobs": {"content": []}},
        {"logprobs": []},
    ],
)
def test_a_server_that_gives_none_is_told_by_name(said: dict[str, Any]) -> None:
    message = problem(said, YES)
    assert "holds no log-probabilities, which judge.logprobs asks for" in message
    assert "can judge without judge.logprobs" in message


@pytest.mark.parametrize(
    ("tokens", "says"),
    [
        ([token("PASS")], "do not belong to the reply's verdict"),
        ([token('{"pass": '), token("false"), token("}")], "do not belong"),
        ([token('{"pass": true} {"pass": true}')], "do not belong"),
        ([token('{"pass": '), {"token": "true", "logprob": 0.5}], "log-probability that is none"),
        ([token('{"pass": '), {"token": "true", "logprob": None}], "log-probability that is none"),
        ([token('{"pass": '), {"token": "true", "logprob": True}], "log-probability that is none"),
        ([token('{"pass": '), {"logprob": -0.5}], "without a text"),
        ([token('{"pass": '), "true"], "without a text"),
        ([token('{"pass": '), token("true", 0, false=0), token("}")], "all zero"),
    ],
)
def test_what_cannot_be_weighed_is_a_problem(tokens: list[Any], says: str) -> None:
    assert says in problem(choice(*tokens), YES)


@given(
    cuts=st.lists(st.integers(1, 30), max_size=6),
    p_true=st.floats(0.001, 0.999),
    passed=st.booleans(),
)
def test_wherever_the_text_is_cut_the_likelihood_is_the_same(
    *, cuts: list[int], p_true: float, passed: bool
) -> None:
    """Cut the text before the verdict anywhere: its place in the text does not move."""
    before = '{"reason": "ünï \\"pass\\"", "pass": '.encode()
    edges = sorted({0, len(before), *(cut for cut in cuts if cut < len(before))})
    pieces = [before[a:b] for a, b in itertools.pairwise(edges)]
    word, other = ("true", "false") if passed else ("false", "true")
    p = p_true if passed else 1 - p_true
    verdict = token(word, p, **{other: 1 - p})
    decision = YES if passed else NO
    found = likelihood(*map(token, pieces), verdict, token("}"), decision=decision)
    assert found.probability == pytest.approx(p_true)


@given(
    content=st.lists(
        st.recursive(st.none() | st.text() | st.floats(), st.lists)
        | st.dictionaries(
            st.sampled_from(["token", "bytes", "logprob", "top_logprobs"]),
            st.none() | st.text() | st.floats() | st.lists(st.integers()),
        )
    )
)
def test_nothing_that_a_server_says_raises(content: list[Any]) -> None:
    read_likelihoods({"logprobs": {"content": content}}, [YES])
