"""``ci-judge init``: a start that works, in the folder it is called in."""

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from ci_judge.cli.screen import Screen, pass_screen
from ci_judge.errors import InvalidInput
from ci_judge.transport import Transport, is_loopback, url_host
from ci_judge.version import __version__
from ci_judge.workflows.automatic_packages import taken_for_packages
from ci_judge.workflows.detecting import Endpoint, detect
from ci_judge.workflows.endpoint_address import endpoint_address
from ci_judge.workflows.initialise import (
    FIRST_FILES,
    StarterFile,
    initialise,
    initialise_cases,
    kept_config,
)
from ci_judge.workflows.surroundings import Surroundings


@click.command(
    short_help="Write a first configuration, criteria, scenario or cases, and workflow.",
    epilog="Example: ci-judge init --url http://127.0.0.1:8000 && ci-judge check",
)
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), default=".")
@click.option(
    "--url",
    metavar="URL",
    help="Your endpoint, or the server it is on: it is looked at, and the target written to fit.",
)
@click.option(
    "--cases",
    is_flag=True,
    help="Start with Python cases instead of an endpoint: functions whose results are judged.",
)
@pass_screen
def command(screen: Screen, folder: Path, url: str | None, *, cases: bool) -> None:
    """Write the files of a first run into FOLDER, by default the one you are in.

    They are ci-judge.yaml, acceptance.md, scenarios/first.yaml, a GitHub workflow, and lines of
    .gitignore. What exists already is kept, and nothing is asked.

    With --url a few GET requests look for an OpenAPI document on that server, and, where that does
    not tell enough, one POST sends it one short chat message. Nothing goes to any other server,
    redirects included. Without --url nothing is sent at all.

    With --cases, for Python functions without an endpoint, there are cases/case_first.py and no
    criteria and scenarios; ci-judge check and ci-judge run pass at once, without a key.
    """
    if cases and url is not None:
        raise InvalidInput.of(
            "--cases and --url exclude each other",
            hint="--cases tests functions, --url an endpoint; keep one of them",
        )
    kept = kept_config(folder)
    endpoint = None if url is None else _endpoint(screen, url, kept)
    made = (
        initialise_cases(folder, version=__version__)
        if cases
        else initialise(folder, version=__version__, endpoint=endpoint)
    )
    for file in made:
        reason = f" ({file.reason})" if file.reason else ""
        screen.out.line(f"{file.outcome:<8} {file.path}{reason}")
    for note in (*_of_packages(folder, made), *_of_ci(endpoint)):
        screen.out.line(f"note: {note}")
    screen.out.line(_next_for_cases(kept) if cases else _KEPT if kept else _next(endpoint, made))


def _endpoint(screen: Screen, url: str, kept: str | None) -> Endpoint | None:
    """Look at the endpoint and tell what was seen, where it is of use."""
    address = endpoint_address(url)
    if kept:
        screen.out.line(
            f"note: nothing was sent, for the configuration that is there is kept; delete {kept} "
            "first to have its target written anew"
        )
        return None
    endpoint = asyncio.run(_look(address))
    for line in _seen(address, endpoint):
        screen.out.line(line)
    return endpoint


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


def _of_packages(folder: Path, made: Sequence[StarterFile]) -> Iterator[str]:
    """Say it where the project could not be installed with what is there now."""
    taken = taken_for_packages(folder, paths=[file.path for file in made])
    if taken is not None:
        yield str(taken)


def _of_ci(endpoint: Endpoint | None) -> Iterator[str]:
    host = "" if endpoint is None else url_host(endpoint.url)
    if is_loopback(host):
        yield (
            f"in CI nobody listens at {host}: let target.serve start your service for each run, "
            "or name an address that CI can reach"
        )


_KEPT = "Next: run ci-judge check and ci-judge run."


def _next(endpoint: Endpoint | None, made: Sequence[StarterFile]) -> str:
    if endpoint is None:
        return "Next: name your endpoint in ci-judge.yaml, then run ci-judge check."
    if endpoint.found:
        own = _own_words(made)
        return (
            f"Next: look at target in ci-judge.yaml, {own}then run ci-judge check and ci-judge run."
        )
    return (
        "Next: correct url, body and response_path of target in ci-judge.yaml, then run ci-judge "
        "check and ci-judge run --runs 1, which cannot pass, but says what your endpoint answered."
    )


def _own_words(made: Sequence[StarterFile]) -> str:
    """Ask for criteria and scenarios of one's own, where the examples were written."""
    names = [file.path for file in made if file.outcome == "written" and file.path in FIRST_FILES]
    return f"write your own in the place of the examples in {' and '.join(names)}, " * bool(names)


def _next_for_cases(kept: str | None) -> str:
    if kept is None:
        return "Next: run ci-judge check and ci-judge run; then write cases of your own."
    return (
        f"Next: see that suite.paths of {kept} names cases, then run ci-judge check "
        "and ci-judge run."
    )
