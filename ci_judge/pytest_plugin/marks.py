"""The names of markers: a test's kind and tags, as far as ``-m`` can say them."""

import re
from collections.abc import Iterable
from typing import Final

from ci_judge.model.suite import Case, Test
from ci_judge.visible_text import one_line

OURS: Final = "ci_judge"
_UNSAYABLE = re.compile(r"[^\w+./-]+")
_ACTING: Final = frozenset(
    {
        *("skip", "skipif", "xfail", "parametrize", "usefixtures", "filterwarnings"),
        *("tryfirst", "trylast", "parameterize", "parametrise", "parameterise"),
        *("asyncio", "anyio", "flaky", "timeout", "xdist_group", "django_db", "order"),
        *("and", "or", "not", "True", "False", "None"),
    }
)
"""Words that pytest or one of its plugins acts on, and words of its expressions."""

_SHOWN_CHARS = 60


def kind_of(test: Test) -> str:
    """Give what ``-m`` calls the test's kind."""
    return "case" if isinstance(test, Case) else test.kind


def marker_name(tag: str) -> str:
    """Give a marker's name for a tag: itself where it can be one, else as near as may be.

    What ``-m`` cannot say is an underscore, and a word that would make pytest act gets ``tag_``
    in front.
    """
    name = _UNSAYABLE.sub("_", tag)
    if name in _ACTING or not name[:1].isalnum():
        return f"tag_{name}"
    return name


def marker_names(test: Test) -> list[str]:
    """Give the names of all markers of a test, each once."""
    return list(dict.fromkeys([OURS, kind_of(test), *map(marker_name, sorted(test.tags))]))


def marker_lines(tests: Iterable[Test]) -> list[str]:
    """Give the lines that make the markers known, as in pytest's setting ``markers``."""
    lines = {OURS: "a test of the CI Judge suite"}
    for test in tests:
        lines.setdefault(kind_of(test), "a test of this kind (CI Judge)")
        for tag in sorted(test.tags):
            shown = one_line(tag, limit=_SHOWN_CHARS)
            lines.setdefault(marker_name(tag), f'a test tagged "{shown}" (CI Judge)')
    return [f"{name}: {text}" for name, text in lines.items()]
