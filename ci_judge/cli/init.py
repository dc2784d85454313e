"""``ci-judge init``: a start that works, in the folder it is called in."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import click

from ci_judge.cli.screen import Screen, pass_screen
from ci_judge.transport import Transport
from ci_judge.version import __version__
from ci_judge.workflows.detecting import Endpoint, detect
from ci_judge.workflows.endpoint_address import endpoint_address
from ci_judge.workflows.initialise import has_config, initialise
from ci_judge.workflows.surroundings import Surroundings


@click.command(
    short_help="Write a first configuration, criteria, scenario and workflow.",
    epilog="Example: ci-judge init --url http://127.0.0.1:8000 && ci-judge check",
)
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), default=".")
@click.option(
    "--url",
    metavar="URL",
    help="Your endpoint, or the server it is on: it is looked at, and the target written to fit.",
)
@pass_screen
def command(screen: Screen, folder: Path, url: str | None) -> None:
    """Write the files of a first run into FOLDER, by default the one you are in.

    They are ci-judge.yaml, acceptance.md, scenarios/first.yaml, a GitHub workflow, and lines of
    .gitignore. What exists already is kept, and nothing is asked.

    With --url a few GET requests look for an OpenAPI document on that server, and, where that does
    not tell enough, one POST sends it one short chat message. Nothing goes to any other server,
    redirects included. Without --url nothing is sent at all.
    """
    endpoint = None
    if url is not None:
        address = endpoint_address(url)
        if has_config(folder):
            screen.out.line("note: nothing was sent, for the configuration that is there is kept")
        else:
            endpoint = asyncio.run(_look(address))
            for line in _seen(address, endpoint):
                screen.out.line(line)
    kept = has_config(folder)
    for file in initialise(folder, version=__version__, endpoint=endpoint):
        reason = f" ({file.reason})" if file.reason else ""
        screen.out.line(f"{file.outcome:<8} {file.path}{reason}")
    screen.out.line(_KEPT if kept else _next(endpoint))


async def _look(address: str) -> Endpoint:
    surroundings = Surroundings.real()
    transport = Transport(
        connections=1,
        environment=surroundings.environment,
        in_container=surroundings.in_container,
        user_agent=surroundings.user_agent,
    )
    try:
        return await detect(address, transport=transport)
    finally:
        await transport.aclose()


def _seen(address: str, endpoint: Endpoint) -> Iterator[str]:
    yield from (f"looked at {address}: {note}" for note in endpoint.notes)
    if not endpoint.found:
        yield "note: no chat endpoint was recognised; the target is a guess to be corrected"


_KEPT = "Next: run ci-judge check and ci-judge run."


def _next(endpoint: Endpoint | None) -> str:
    if endpoint is None:
        return "Next: name your endpoint in ci-judge.yaml, then run ci-judge check."
    if endpoint.found:
        return "Next: look at target in ci-judge.yaml, then run ci-judge check and ci-judge run."
    return (
        "Next: correct url, body and response_path of target in ci-judge.yaml, then run ci-judge "
        "check and ci-judge run --runs 1, which says what your endpoint answered."
    )
