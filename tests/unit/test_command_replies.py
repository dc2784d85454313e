"""What a judge command may write: verdicts as from every judge, or likelihoods, nothing else."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ci_judge.judges.command_reply import read_command_reply
from ci_judge.judges.reply import ReplyProblem
from ci_judge.model.judging import Decision, Likelihood

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text()


@pytest.mark.parametrize(
    ("text", "items", "opinions"),
    [
        ('{"pass": true, "reason": "holds"}', 1, [Decision(passed=True, reason="holds")]),
        ('loading model\n{"pass": false}\n', 1, [Decision(passed=False, reason="")]),
        ('{"probability": 0.25}\n', 1, [Likelihood(probability=0.25)]),
        ('{"probability": 1, "reason": "so"}', 1, [Likelihood(probability=1.0, reason="so")]),
        (
            '{"items": [{"pass": true}, {"pass": false, "reason": "r"}]}',
            2,
            [Decision(passed=True, reason=""), Decision(passed=False, reason="r")],
        ),
        (
            '{"items": [{"probability": 0}, {"probability": 0.5}]}',
            2,
            [Likelihood(probability=0.0), Likelihood(probability=0.5)],
        ),
        ('{"items": [{"probability": 0.5}]}', 1, [Likelihood(probability=0.5)]),
        (
            '{"pass": true, "reason": "it said \\"probability\\": 0"}',
            1,
            [Decision(passed=True, reason='it said "probability": 0')],
        ),
    ],
)
def test_what_is_read(text: str, items: int, opinions: list[Decision | Likelihood]) -> None:
    assert read_command_reply(text, items=items) == tuple(opinions)


@pytest.mark.parametrize(
    ("text", "items", "why"),
    [
        ('{"pass": "false"}', 1, "must be true or false"),
        ("{}", 1, "does not hold a verdict object"),
        ('{"probability": true}', 1, "number from 0 to 1, the output says true"),
        ('{"probability": "0.9"}', 1, 'the output says "0.9"'),
        ('{"probability": 1.01}', 1, "the output says 1.01"),
        ('{"probability": -0.1}', 1, "the output says -0.1"),
        ('{"probability": NaN}', 1, "is not JSON as a whole"),
        ('{"probability": 1e999}', 1, "the output says Infinity"),
        ('{"probability": null}', 1, "the output says null"),
        ('{"probability": 0.9, "probability": 0.1}', 1, "a key twice"),
        ('{"probability": 0.9, "pass": false}', 1, "both a 'pass' and a 'probability'"),
        ('{"probability": 0.9}\n{"pass": true}', 1, "both a 'pass' and a 'probability'"),
        ('{"probability": 0.9}\n{"probability": 0.1}', 1, "is not JSON as a whole"),
        ('p is {"probability": 0.9}', 1, "is not JSON as a whole"),
        ('{"result": {"probability": 0.9}}', 1, "has no 'probability'"),
        ('{"probability": 0.9}', 2, "1 of 2 probabilities"),
        ('{"items": [{"probability": 0.9}]}', 2, "1 of 2 probabilities"),
        ('{"items": {"probability": 0.9}}', 1, "0 of 1 probabilities"),
        ('{"items": [{"probability": 0.9}, {"p": 0.9}]}', 2, "has no 'probability'"),
        ("[" * 100_000 + '{"probability": 1}', 1, "is not JSON as a whole"),
    ],
)
def test_what_is_refused(text: str, items: int, why: str) -> None:
    problem = read_command_reply(text, items=items)
    assert isinstance(problem, ReplyProblem)
    assert why in problem.message


@given(key=st.sampled_from(["pass", "probability"]), value=SCALARS)
def test_only_true_passes_and_only_a_number_in_range_is_a_likelihood(
    key: str, value: object
) -> None:
    read = read_command_reply(json.dumps({key: value}), items=1)
    if isinstance(read, ReplyProblem):
        return
    (opinion,) = read
    if isinstance(opinion, Decision):
        assert key == "pass"
        assert opinion.passed is value
    else:
        assert key == "probability"
        assert not isinstance(value, bool)
        assert opinion.probability == value
        assert 0 <= opinion.probability <= 1
