"""What a run will probably cost, in the words of ``ci-judge check``; unknown is said as unknown."""

from collections.abc import Iterator, Sequence

from ci_judge.judges.settings import JudgeSettings
from ci_judge.judges.tariffs import tariff_of
from ci_judge.model.judging import Usage
from ci_judge.model.suite import Case, Scenario, Test
from ci_judge.rules.pricing import Price, tokens_cost, total
from ci_judge.rules.token_estimates import PROMPT_TOKENS, estimated_tokens
from ci_judge.settings import Settings

ANSWER_TOKENS = 250
"""Taken for an answer, or the evidence of a case, which nobody has seen yet."""

VERDICT_TOKENS = 150
"""Taken for a verdict with its reason."""

_STUB = "stub"


def cost_lines(settings: Settings, tests: Sequence[Test]) -> Iterator[str]:
    """Yield the estimated cost of all planned runs, and what can be said of their time."""
    parts = (*_judge_parts(settings, tests), *_target_parts(settings, tests))
    if parts:
        yield f"cost of all runs: {'; '.join(parts)}"
        yield "time: unknown, for nobody has been asked yet (a report says how long each test took)"


def judge_cost(judge: JudgeSettings, tests: Sequence[Test]) -> float | None:
    """Estimate in USD what the judgements of all runs cost; None where no price is known."""
    price = tariff_of(judge).of(judge.asked_model)
    return total(_test_cost(test, judge, price) for test in tests)


def _test_cost(test: Test, judge: JudgeSettings, price: Price | None) -> float | None:
    if isinstance(test, Scenario) and not test.expectations:
        return 0.0
    texts = [judge.instructions or "", *_texts(test)]
    answers = len(test.turns) if isinstance(test, Scenario) else 1
    read = PROMPT_TOKENS + estimated_tokens(texts) + answers * ANSWER_TOKENS
    verdicts = 1 if isinstance(test, Case) else len(test.expectations)
    usage = Usage(input_tokens=read, output_tokens=verdicts * VERDICT_TOKENS)
    once = tokens_cost(usage, price)
    return None if once is None else once * test.gate.runs * judge.used_repetitions


def _texts(test: Test) -> Iterator[str]:
    if isinstance(test, Case):
        yield test.requirement
        return
    yield test.criterion.description
    yield from (str(turn) for turn in test.turns)
    yield from (str(message.content) for message in test.history)
    yield from (expectation.text for expectation in test.expectations)


def _judge_parts(settings: Settings, tests: Sequence[Test]) -> Iterator[str]:
    judged = [test for test in tests if isinstance(test, Case) or test.expectations]
    members = settings.judge.members if settings.judge and judged else ()
    asked = [judge for judge in members if judge.provider != _STUB]
    if not asked:
        return
    costs = [judge_cost(judge, judged) for judge in asked]
    known = total(costs)
    if known is None:
        unpriced = (who for who, cost in zip(asked, costs, strict=True) if cost is None)
        names = " and ".join(
            dict.fromkeys(judge.asked_model or judge.provider for judge in unpriced)
        )
        yield f"judge unknown, there is no price of {names} (judge.price sets one)"
        return
    sources = dict.fromkeys(filter(None, (_source(judge) for judge in asked)))
    yield (
        f"judge about ${_dollars(known)} (an estimate: answers of {ANSWER_TOKENS} tokens, "
        f"nothing from the cache; {', '.join(sources)})"
    )


def _target_parts(settings: Settings, tests: Sequence[Test]) -> Iterator[str]:
    turns: dict[str | None, int] = {}
    for test in tests:
        if isinstance(test, Scenario):
            turns[test.target] = turns.get(test.target, 0) + test.gate.runs * len(test.turns)
    for name, requests in turns.items():
        target = settings.target if name is None else settings.targets[name]
        section = "target" if name is None else f"targets.{name}"
        if target is None:
            continue
        usage = target.usage
        if usage is None:
            yield f"{section} unknown ({section}.usage says what it takes)"
        elif usage.input_path or usage.output_path:
            yield f"{section} unknown, it is paid by the tokens of its answers"
        else:
            yield f"{section} about ${_dollars(requests * (usage.per_request or 0.0))}"


def _source(judge: JudgeSettings) -> str | None:
    price = tariff_of(judge).of(judge.asked_model)
    return None if price is None else price.source


def _dollars(usd: float) -> str:
    return f"{usd:,.2f}" if usd >= 1 else f"{usd:.2g}"
