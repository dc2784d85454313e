"""Which judges there are, and how one is built from its settings."""

from collections.abc import Callable, Mapping

from ci_judge.errors import InvalidInput
from ci_judge.judges.anthropic import build_anthropic
from ci_judge.judges.command import build_command
from ci_judge.judges.habits import Habits
from ci_judge.judges.keys import find_key, missing_key, missing_keys
from ci_judge.judges.openai import build_openai
from ci_judge.judges.parts import JudgeParts
from ci_judge.judges.settings import JudgeSettings
from ci_judge.judges.stub import build_stub
from ci_judge.judges.systemone import build_systemone
from ci_judge.processes import Workshop
from ci_judge.protocols import Judge
from ci_judge.transport import Transport

__all__ = ["PROVIDERS", "build_judge", "missing_key", "missing_keys"]

_BUILDERS: dict[str, Callable[[JudgeParts], Judge]] = {
    "anthropic": build_anthropic,
    "command": build_command,
    "openai": build_openai,
    "stub": build_stub,
    "systemone": build_systemone,
}
PROVIDERS = tuple(_BUILDERS)


def build_judge(
    settings: JudgeSettings,
    *,
    transport: Transport,
    environment: Mapping[str, str],
    nonce: Callable[[], str],
    habits: Habits | None = None,
    workshop: Workshop | None = None,
) -> Judge:
    """Build the judge that the settings name.

    ``nonce`` gives a fresh random text (at least 64 bits) at each call; judges of one run share
    their ``habits``; a judge that is a command runs in the ``workshop``. Raises InvalidInput for a
    key or model that is missing, and a command that cannot be run.
    """
    problem = missing_key(settings, environment)
    if problem is not None:
        raise InvalidInput(problem)
    parts = JudgeParts(
        settings=settings,
        transport=transport,
        key=find_key(settings, environment),
        nonce=nonce,
        habits=habits or Habits(),
        workshop=workshop,
    )
    return _BUILDERS[settings.provider](parts)
