"""Where each provider is asked, for whoever counts what becomes of the requests."""

from ci_judge.judges import anthropic, openai, systemone
from ci_judge.judges.settings import JudgeSettings
from ci_judge.transport import origin_of

_USUAL = {
    "anthropic": anthropic.DEFAULT_BASE_URL,
    "openai": openai.DEFAULT_BASE_URL,
    "systemone": systemone.DEFAULT_BASE_URL,
}


def judge_origin(settings: JudgeSettings) -> str | None:
    """Return ``scheme://host:port`` of a single judge, None for one that is on no network."""
    usual = _USUAL.get(settings.provider)
    return None if usual is None else origin_of(settings.base_url or usual)
