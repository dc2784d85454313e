"""Opens whoever writes the scenarios, and the network where one is needed."""

from collections.abc import Callable
from contextlib import AsyncExitStack

from ci_judge.settings import Settings
from ci_judge.transport import Transport
from ci_judge.workflows.drafting.writers import StubWriter, Writer, model_writer
from ci_judge.workflows.surroundings import Surroundings

_CONNECTIONS = 4


def open_writer(
    settings: Settings,
    surroundings: Surroundings,
    *,
    clean: Callable[[str], str],
    stack: AsyncExitStack,
) -> Writer:
    """Make ready whoever the section ``generate`` names; ``stack`` closes what was opened.

    Raises InvalidInput for a key that is missing or cannot be one, before anything is sent.
    """
    asked = settings.generate.asked()
    if asked is None:
        return StubWriter()
    transport = Transport(
        connections=_CONNECTIONS,
        environment=surroundings.environment,
        in_container=surroundings.in_container,
        user_agent=surroundings.user_agent,
        redact=clean,
    )
    stack.push_async_callback(transport.aclose)
    return model_writer(
        asked,
        transport=transport,
        environment=surroundings.environment,
        nonce=surroundings.nonce,
        clean=clean,
    )
