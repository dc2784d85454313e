"""Where each provider is asked, for whoever counts what becomes of the requests."""

from ci_judge.judges.addresses import USUAL_BASE_URLS
from ci_judge.judges.settings import JudgeSettings
from ci_judge.transport import origin_of


def judge_origin(settings: JudgeSettings) -> str | None:
    """Return ``scheme://host:port`` of a single judge, None for one that is on no network."""
    usual = USUAL_BASE_URLS.get(settings.provider)
    return None if usual is None else origin_of(settings.base_url or usual)
