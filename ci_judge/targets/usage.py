"""What an answer of the target cost, by what it says of itself and ``target.usage``."""

from ci_judge.rules.pricing import total
from ci_judge.targets.settings import UsageSettings
from ci_judge.targets.told import Told

_PER = 1_000_000


def answer_cost(usage: UsageSettings | None, told: Told, requests: int) -> float | None:
    """Return USD, None where ``usage`` is unset or the answer holds no count at a path.

    ``told`` looks into the whole answer.
    """
    if usage is None:
        return None
    return total(
        (
            usage.per_request * requests,
            _tokens_cost(told, usage.input_path, usage.input_price),
            _tokens_cost(told, usage.output_path, usage.output_price),
        )
    )


def _tokens_cost(told: Told, path: str | None, per_million: float | None) -> float | None:
    if path is None or per_million is None:
        return 0.0
    tokens = told(path)
    if isinstance(tokens, bool) or not isinstance(tokens, int | float) or not 0 <= tokens < _MANY:
        return None
    return tokens * per_million / _PER


_MANY = 10**12
