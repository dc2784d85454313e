"""What the input ``requirements`` is read as."""

from pathlib import Path

import pytest

from ci_judge.workflows.requirement_words import builds_here, pip_words


@pytest.fixture
def cwd(tmp_path: Path) -> Path:
    for name in ("requirements.txt", "dev-requirements", "tiny-1.0-py3-none-any.whl"):
        (tmp_path / name).write_text("")
    for name in ("lib", "tools"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "pyproject.toml").write_text("")
    (tmp_path / "plain").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("requirements.txt", ("-r", "requirements.txt")),
        ("dev-requirements", ("-r", "dev-requirements")),
        ("-e .", ("-e", ".")),
        (".", (".",)),
        ("./tiny-1.0-py3-none-any.whl", ("./tiny-1.0-py3-none-any.whl",)),
        ("requests", ("requests",)),
        ("-r requirements.txt\n  pkg==1 \n", ("-r", "requirements.txt", "pkg==1")),
        ("'a b' \"c;d\" $(e) # f", ("a b", "c;d", "$(e)", "#", "f")),
        ("x" * 5_000, ("x" * 5_000,)),
    ],
)
def test_a_lone_file_is_a_list_and_all_else_is_words(
    cwd: Path, text: str, words: tuple[str, ...]
) -> None:
    assert pip_words(text, cwd=cwd) == words


@pytest.mark.parametrize(
    ("words", "builds"),
    [
        (("-e", "lib"), True),
        (("-elib",), True),
        (("--editable=./lib[dev]",), True),
        (("./tools",), True),
        (("plain", "requests", "--no-index"), False),
        (("-e", "git+https://example.com/x"), False),
        (("--find-links", "plain", "x"), False),
        (("-r", "list.txt"), True),
        (("-rlist.txt",), True),
        (("--requirement=list.txt",), True),
        (("-r", "missing.txt"), False),
        (("-r", "round.txt"), False),
        ((), False),
    ],
)
def test_a_project_in_the_workspace_is_found_wherever_it_is_named(
    cwd: Path, words: tuple[str, ...], *, builds: bool
) -> None:
    (cwd / "list.txt").write_text("requests  # a comment\n-r more.txt\n'unclosed\n")
    (cwd / "more.txt").write_text("--editable ./lib\n")
    (cwd / "round.txt").write_text("-r round.txt\n-rround.txt\n" * 200)
    assert builds_here(words, cwd=cwd) is builds
