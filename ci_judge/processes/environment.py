"""What a child process gets to see of our environment."""

import re
from collections.abc import Iterable, Mapping

from ci_judge.errors import InvalidInput, Problem

PASSED = frozenset(
    {
        "PATH",
        "HOME",
        "LANG",
        "LANGUAGE",
        "TZ",
        "TMPDIR",
        "SYSTEMROOT",
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "ALL_PROXY",
        "NO_PROXY",
        "SSL_CERT_FILE",
        "SSL_CERT_DIR",
        "REQUESTS_CA_BUNDLE",
        "CURL_CA_BUNDLE",
        "LD_LIBRARY_PATH",  # interpreters set up by a CI may need it to start at all
        "DYLD_LIBRARY_PATH",
    }
)

NEVER_PASSED = re.compile(
    r"INPUT_.*|ACTIONS_.*|GITHUB_(ENV|OUTPUT|PATH|STATE|STEP_SUMMARY|TOKEN)", re.IGNORECASE
)


def scrubbed_environment(
    environment: Mapping[str, str],
    *,
    names: Iterable[str] = (),
    extra: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """Return what a program needs to run at all, the variables in ``names``, and ``extra``.

    A name that is not set is left out. Secrets pass only when they are named; the runner's own
    channels (inputs, command files, the actions service) and its token never do, and naming one
    raises InvalidInput.
    """
    wanted = tuple(names)
    refused = [name for name in (*wanted, *(extra or {})) if NEVER_PASSED.fullmatch(name)]
    if refused:
        raise InvalidInput(*map(_refusal, refused))
    kept = {name: text for name, text in environment.items() if _is_passed(name, wanted)}
    return {**kept, **(extra or {})}


def _is_passed(name: str, wanted: tuple[str, ...]) -> bool:
    return name in wanted or name.upper() in PASSED or name.startswith("LC_")


def _refusal(name: str) -> Problem:
    return Problem(
        message=f'the variable "{name}" is never passed to a child process',
        hint="it is the CI runner's own; pass the value in a variable of your own",
    )
