"""What commands share that look at the suite as a run would, and send nothing."""

import asyncio
from collections.abc import Mapping
from typing import Any

from ci_judge.cli.screen import Screen
from ci_judge.settings import Demand, Given, load_settings
from ci_judge.workflows.planning import Selection, Strictness
from ci_judge.workflows.secrecy import make_redactor
from ci_judge.workflows.surroundings import Surroundings
from ci_judge.workflows.surveying import Survey, survey


def surveyed(
    screen: Screen,
    values: Mapping[str, Any],
    *,
    overrides: Mapping[str, Given],
    allow_unreachable: bool,
) -> Survey:
    """Read and check everything for the options config, names and tags of a command."""
    surroundings = Surroundings.real()
    settings = load_settings(
        config=values["config"],
        cwd=surroundings.cwd,
        environment=surroundings.environment,
        overrides=overrides,
        demand=Demand(unasked=frozenset({"generate"}), refuses_unset=False),
    )
    redactor = make_redactor(settings, surroundings, further=())
    screen.protect(redactor)
    looking = survey(
        settings,
        surroundings,
        Selection(names=values["names"], tags=values["tags"]),
        redactor=redactor,
        strictness=Strictness(key_needed=False, allow_unreachable=allow_unreachable),
    )
    return asyncio.run(looking)
