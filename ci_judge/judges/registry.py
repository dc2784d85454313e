"""Which judges there are, and how one is built from its settings."""

from collections.abc import Callable, Mapping
from importlib import import_module

from ci_judge.errors import InvalidInput
from ci_judge.judges.habits import Habits
from ci_judge.judges.keys import find_key, missing_key, missing_keys
from ci_judge.judges.parts import JudgeParts
from ci_judge.judges.settings import JudgeSettings
from ci_judge.processes import Workshop
from ci_judge.protocols import Judge
from ci_judge.transport import Transport

__all__ = ["PROVIDERS", "build_judge", "missing_key", "missing_keys"]

_BUILDERS = {
    "anthropic": "ci_judge.judges.anthropic:build_anthropic",
    "command": "ci_judge.judges.command:build_command",
    "openai": "ci_judge.judges.openai:build_openai",
    "stub": "ci_judge.judges.stub:build_stub",
    "systemone": "ci_judge.judges.systemone:build_systemone",
}
"""Where each judge is built: only that of the run is loaded."""

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
    module, _, name = _BUILDERS[settings.provider].partition(":")
    build: Callable[[JudgeParts], Judge] = getattr(import_module(module), name)
    return build(parts)
