"""What is spent: the right price, every token, and nothing unknown counted as nothing."""

import asyncio
import re
from typing import cast

import pytest

from ci_judge.engine.seats import Seat, single
from ci_judge.engine.trials import TrialMaker
from ci_judge.judges.settings import JudgeSettings
from ci_judge.judges.tariffs import tariff_of
from ci_judge.model.document import SummaryEntry
from ci_judge.model.evidence import Conversation, EvidenceFailure, FailureCode, Reply
from ci_judge.model.judging import (
    Answer,
    CaseQuestion,
    Decision,
    JudgeIdentity,
    Run,
    Trial,
    Usage,
    VotePolicy,
)
from ci_judge.renderers.wording import summary_cost
from ci_judge.rules.pricing import (
    Price,
    RunCost,
    Tariff,
    requests_cost,
    run_cost,
    tokens_cost,
    total,
)
from ci_judge.workflows.judge_facts import drift_warnings
from tests.builders import a_document, a_group, a_judge, a_panel, a_test
from tests.fakes import FakeJudge, a_conversation

PRICE = Price(input=2.0, output=8.0, source="a table")
MINI = Price(input=0.4, output=1.6, source="a table")
LISTED = Tariff(listed=(("gpt-4.1", PRICE), ("gpt-4.1-mini", MINI)))


def a_trial(cost_usd: float | None) -> Trial:
    return Trial(
        repetition=1,
        rulings=(),
        failure=None,
        model="m",
        usage=Usage(),
        latency_seconds=0.0,
        requests=1,
        cost_usd=cost_usd,
    )


def a_talk(*costs: float | None, priced: bool = True, replayed: bool = False) -> Conversation:
    replies = tuple(
        Reply(text="x", value="x", latency_seconds=0.1, priced=priced, cost_usd=cost)
        for cost in costs
    )
    return Conversation(transcript=(), replies=replies, replayed=replayed)


@pytest.mark.parametrize(
    ("model", "price"),
    [
        ("gpt-4.1", PRICE),
        ("gpt-4.1-2025-04-14", PRICE),
        ("gpt-4.1-20250414", PRICE),
        ("gpt-4.1-mini", MINI),
        ("gpt-4.1-mini-2025-04-14", MINI),
        ("gpt-4.1-nano", None),
        ("gpt-4.1-2025-04-14-tuned", None),
        ("gpt-4", None),
        ("ft:gpt-4.1:mine", None),
        ("gpt-4.1-latest", None),
        ("", None),
    ],
)
def test_a_name_stands_for_its_dated_versions_and_for_no_other_model(
    model: str, price: Price | None
) -> None:
    assert LISTED.of(model) is price


def test_who_answered_goes_before_who_was_asked() -> None:
    assert LISTED.of("gpt-4.1-mini", "gpt-4.1") is MINI
    assert LISTED.of("who-knows", "gpt-4.1") is PRICE
    assert LISTED.of(None, None) is None
    assert Tariff(fixed=MINI, listed=LISTED.listed).of("gpt-4.1") is MINI


def test_each_kind_of_token_has_its_price() -> None:
    usage = Usage(input_tokens=1_000_000, output_tokens=500_000)
    assert tokens_cost(usage, PRICE) == pytest.approx(2.0 + 4.0)


@pytest.mark.parametrize(
    ("usage", "price"),
    [
        (Usage(input_tokens=5, output_tokens=5), None),
        (Usage(input_tokens=None, output_tokens=5), PRICE),
        (Usage(input_tokens=5, output_tokens=None), PRICE),
    ],
)
def test_what_is_unknown_stays_unknown(usage: Usage, price: Price | None) -> None:
    assert tokens_cost(usage, price) is None


def test_tokens_that_are_free_need_no_count() -> None:
    free = Price(input=0.042, output=0.0, source="a table")
    assert tokens_cost(Usage(input_tokens=1000), free) == pytest.approx(0.000042)


def test_no_request_and_no_token_cost_nothing_whatever_the_price() -> None:
    assert requests_cost(0, Usage(), None) == 0.0
    assert requests_cost(3, Usage(input_tokens=0, output_tokens=0), None) == 0.0
    assert requests_cost(1, Usage(), PRICE) is None


def test_one_unknown_makes_a_sum_unknown() -> None:
    assert total([]) == 0.0
    assert total([0.25, 0.5]) == 0.75
    assert total([0.25, None, 0.5]) is None


def a_run(evidence: Conversation | None, *trials: Trial, **changes: EvidenceFailure) -> Run:
    return Run(
        test_id="t",
        number=1,
        outcome="pass",
        reason="",
        evidence=evidence,
        trials=trials,
        failure=changes.get("failure"),
    )


def test_a_run_costs_its_judge_and_a_target_that_has_prices() -> None:
    run = a_run(a_talk(0.25, 0.5), a_trial(1.0), a_trial(2.0))
    assert run_cost(run) == RunCost(judge=3.0, target=0.75, priced=True)
    assert run_cost(run).usd == 3.75


def test_a_target_without_prices_is_left_out_and_one_without_counts_is_unknown() -> None:
    assert run_cost(a_run(a_conversation("x"), a_trial(1.0))).usd == 1.0
    assert run_cost(a_run(a_talk(0.25, None), a_trial(1.0))).usd is None
    assert run_cost(a_run(a_talk(0.25), a_trial(None))).usd is None


def test_a_replay_costs_nothing_again() -> None:
    assert run_cost(a_run(a_talk(0.25, replayed=True))).usd == 0.0


@pytest.mark.parametrize(("priced", "usd"), [(True, None), (False, 0.0)])
def test_what_a_failure_of_a_priced_target_cost_is_unknown(
    priced: bool,  # noqa: FBT001 - a column of the table
    usd: float | None,
) -> None:
    failure = EvidenceFailure(code=FailureCode.TIMEOUT, message="late", priced=priced)
    assert run_cost(a_run(None, failure=failure)).usd == usd


def judge(**settings: object) -> Tariff:
    return tariff_of(JudgeSettings.model_validate(settings))


def test_the_configuration_goes_before_the_table() -> None:
    price = judge(provider="openai", model="gpt-4.1", price={"input": 1, "output": 2}).of("gpt-4.1")
    assert price == Price(input=1.0, output=2.0, source="judge.price")


def test_a_published_price_tells_of_when_it_is() -> None:
    price = judge(provider="anthropic", model="claude-sonnet-5").of("claude-sonnet-5")
    assert price is not None
    assert re.fullmatch(r"list price as published, 20\d\d-\d\d-\d\d", price.source)


@pytest.mark.parametrize(
    ("base_url", "known"),
    [
        (None, True),
        ("https://api.openai.com/v1", True),
        ("https://openrouter.ai/api/v1", False),
        ("http://127.0.0.1:11434", False),
    ],
)
def test_the_table_holds_for_the_provider_itself(base_url: str | None, known: bool) -> None:  # noqa: FBT001 - a column of the table
    price = judge(provider="openai", model="gpt-4.1", base_url=base_url).of("gpt-4.1")
    assert (price is not None) is known


@pytest.mark.parametrize("provider", ["anthropic", "openai", "systemone"])
def test_every_row_of_the_table_is_found_by_its_name(provider: str) -> None:
    rows = judge(provider=provider, model="m").listed
    assert rows
    for name, price in rows:
        assert judge(provider=provider, model=name).of(name) is price
        assert price.input > 0
        assert price.output >= 0


def summary(**changes: object) -> SummaryEntry:
    document = a_document(a_group(a_test()))
    return cast("SummaryEntry", document["summary"] | {"judge_requests": 1} | changes)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"judge_requests": 0, "cost_usd": 0.0}, ""),
        ({"cost_usd": 0.0}, "0.0000 USD (judge)"),
        ({"cost_usd": 0.000042}, "0.000042 USD (judge)"),
        ({"cost_usd": 12.5, "target_cost_usd": 12.0}, "12.5000 USD (target 12.0000 USD)"),
        ({"cost_usd": None}, "unknown (judge)"),
        (
            {"cost_usd": None, "known_cost_usd": 0.5},
            "at least 0.5000 USD, the rest is unknown (judge)",
        ),
    ],
)
def test_the_words_for_money(changes: dict[str, object], words: str) -> None:
    assert summary_cost(summary(**changes)) == words


@pytest.mark.parametrize("judges", [1, 2])
def test_each_judge_that_changes_is_named(judges: int) -> None:
    alone = a_judge(model="m", models_answered=["m-1", "m-2"])
    panel = a_panel("m", "n")
    panel["panel"][0]["models_answered"] = ["m-1", "m-2"]
    (warning,) = drift_warnings(alone if judges == 1 else panel)
    assert "m was asked, and m-1 and m-2 answered" in warning


def test_a_panel_of_different_models_is_no_change() -> None:
    assert list(drift_warnings(a_panel("m", "n"))) == []
    assert list(drift_warnings(None)) == []


def test_a_trial_is_priced_by_the_model_that_answered() -> None:
    asked = JudgeIdentity(provider="openai", model="gpt-4.1", wire="boolean")
    answer = Answer(
        opinions=(Decision(passed=True, reason=""),),
        model="gpt-4.1-mini-2025-04-14",
        usage=Usage(input_tokens=1_000_000, output_tokens=0),
    )
    fake = FakeJudge(lambda _: answer, identity=asked)
    seat = Seat(judge=fake, policy=VotePolicy(), tariff=LISTED)

    async def make() -> tuple[Trial, ...]:
        maker = TrialMaker(
            seats=single(seat), slots=asyncio.Semaphore(1), seed=1, clock=lambda: 0.0
        )
        question = CaseQuestion(requirement="r", evidence=1)
        return await maker.make(question, test_id="t", run=1)

    (trial,) = asyncio.run(make())
    assert trial.cost_usd == pytest.approx(MINI.input)
    assert trial.model_asked == "gpt-4.1"
