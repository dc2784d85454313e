"""What an answer of the target cost, by what it says of itself and ``target.usage``."""

from ci_judge.model.suite import JsonValue
from ci_judge.rules.json_paths import Found, look_up
from ci_judge.rules.pricing import total
from ci_judge.targets.settings import UsageSettings

_PER = 1_000_000


def answer_cost(usage: UsageSettings | None, document: JsonValue, requests: int) -> float | None:
    """Return USD, None where ``usage`` is unset or the answer holds no count at a path.

    ``document`` is the whole answer as JSON, None for one that is none.
    """
    if usage is None:
        return None
    return total(
        (
            usage.per_request * requests,
            _tokens_cost(document, usage.input_path, usage.input_price),
            _tokens_cost(document, usage.output_path, usage.output_price),
        )
    )


def _tokens_cost(document: JsonValue, path: str | None, per_million: float | None) -> float | None:
    if path is None or per_million is None:
        return 0.0
    found = look_up(document, path)
    tokens = found.value if isinstance(found, Found) else None
    if isinstance(tokens, bool) or not isinstance(tokens, int | float) or not 0 <= tokens < _MANY:
        return None
    return tokens * per_million / _PER


_MANY = 10**12
