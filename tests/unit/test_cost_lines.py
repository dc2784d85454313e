"""What ``check`` says of cost and time: an estimate where prices are known, else unknown."""

import json
from pathlib import Path
from typing import Any

from ci_judge.cli.cost_lines import cost_lines
from ci_judge.model.suite import Test
from ci_judge.settings import load_settings
from tests.model_builders import a_case_test, a_scenario


def said(folder: Path, *tests: Test, **sections: Any) -> str:
    (folder / "ci-judge.yaml").write_text(json.dumps({"suite": {}} | sections))
    settings = load_settings(config=None, cwd=folder, environment={}, overrides={})
    return "\n".join(cost_lines(settings, tests))


TARGET = {"url": "http://127.0.0.1:9/"}
PRICED = {"provider": "openai", "model": "m", "price": {"input": 1.0, "output": 10.0}}


def test_a_priced_judge_is_estimated_from_texts_and_runs(tmp_path: Path) -> None:
    text = said(tmp_path, a_scenario(turns=("x" * 4_000,)), target=TARGET, judge=PRICED)
    # 10 runs of 800 + 1,000 + 250 tokens and a few of the expectation, and 150 tokens of verdict
    assert "judge about $0.036 (an estimate: answers of 250 tokens" in text
    assert "judge.price" in text
    assert "time: unknown" in text


def test_repetitions_and_judges_add_up(tmp_path: Path) -> None:
    once = said(tmp_path, a_case_test(), judge=PRICED)
    thrice = said(tmp_path, a_case_test(), judge=PRICED | {"repetitions": 3})
    panel = said(tmp_path, a_case_test(), judge={"panel": [PRICED, PRICED | {"model": "n"}]})
    assert "$0.0026" in once
    assert "$0.0077" in thrice
    assert "$0.0051" in panel


def test_one_unknown_price_makes_the_judges_cost_unknown(tmp_path: Path) -> None:
    unknown = {"provider": "openai", "model": "n", "base_url": "http://127.0.0.1:9"}
    text = said(tmp_path, a_case_test(), judge={"panel": [PRICED, unknown]})
    assert "judge unknown, there is no price of n (judge.price sets one)" in text
    assert "$" not in text


def test_a_target_is_priced_by_request_or_unknown(tmp_path: Path) -> None:
    stub = {"provider": "stub"}
    priced = said(
        tmp_path, a_scenario(), target=TARGET | {"usage": {"per_request": 0.2}}, judge=stub
    )
    assert "target about $2.00" in priced
    tokens = {"input_path": "u.i", "input_price": 1, "output_path": "u.o", "output_price": 1}
    by_tokens = said(tmp_path, a_scenario(), target=TARGET | {"usage": tokens}, judge=stub)
    assert "paid by the tokens of its answers" in by_tokens
    assert "target unknown (target.usage" in said(tmp_path, a_scenario(), target=TARGET, judge=stub)


def test_cases_under_the_stub_cost_nothing_and_nothing_is_said(tmp_path: Path) -> None:
    assert said(tmp_path, a_case_test(), judge={"provider": "stub"}) == ""
