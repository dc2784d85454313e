"""What changed-paths mean."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ci_judge.rules.path_globs import touched


@pytest.mark.parametrize(
    ("globs", "path", "meant"),
    [
        (["src/**"], "src/a/b.py", True),
        (["src/**"], "srcs/a.py", False),
        (["src"], "src/a/b.py", True),
        (["src/"], "src/a.py", True),
        (["src"], "lib/src/a.py", False),
        (["**/prompts"], "a/b/prompts/x.md", True),
        (["**/prompts"], "prompts/x.md", True),
        (["*.md"], "README.md", True),
        (["*.md"], "docs/README.md", False),
        (["**/*.md"], "docs/a/README.md", True),
        (["docs/*/x.md"], "docs/a/x.md", True),
        (["docs/*/x.md"], "docs/a/b/x.md", False),
        (["a?.py"], "ab.py", True),
        (["a?.py"], "a/.py", False),
        (["[ab].py"], "b.py", True),
        (["[!ab].py"], "b.py", False),
        (["[!ab].py"], "c.py", True),
        (["a[.py"], "a[.py", True),
        (["[z-a].py"], "[z-a].py", True),
        (["./src/*.py"], "src/a.py", True),
        (["src/a+b.py"], "src/a+b.py", True),
        (["src/a+b.py"], "src/aab.py", False),
        (["**"], "any/thing", True),
        (["src/**", "!src/docs/**"], "src/docs/a.md", False),
        (["src/**", "!src/docs/**"], "src/a.py", True),
        (["!src/docs/**", "src/**"], "src/docs/a.md", True),
        (["!src/**"], "other.py", False),
        ([], "src/a.py", False),
    ],
)
def test_what_a_glob_means(globs: list[str], path: str, *, meant: bool) -> None:
    assert (touched(globs, [path]) == path) is meant


def test_the_first_path_that_is_meant_is_given() -> None:
    assert touched(["b*"], ["a", "b1", "b2"]) == "b1"
    assert touched(["b*"], []) is None


@given(st.text(max_size=12), st.text(max_size=20))
def test_no_glob_and_no_path_is_trouble(glob: str, path: str) -> None:
    touched([glob], [path])


@given(st.text(alphabet="abc/._-+()$^", min_size=1, max_size=12).map(lambda text: text.strip("/")))
def test_a_path_without_wildcards_means_itself(path: str) -> None:
    named = path.removeprefix("./").strip("/")
    assert touched([path], [named]) == named
