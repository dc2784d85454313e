"""The HTML report before its readers: two checkers, a browser, the rules of screen readers."""

import json
import subprocess
from pathlib import Path

import pytest

from ci_judge.renderers.registry import renderer
from tests.builders import (
    a_case,
    a_group,
    a_report,
    a_rerun,
    a_skipped_test,
    a_test,
    earlier_results,
)
from tests.hostile import NASTY, a_hostile_report
from tests.tools import missing, tool

NODE = Path(__file__).parent.parent / "node"
MODULES = NODE / "node_modules"
LONGEST_SECONDS = 180


@pytest.fixture(scope="module", params=["ordinary", "hostile"])
def page(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report with every kind of result, and one full of text that wants to break out."""
    if request.param == "ordinary":
        document, runs = a_report(
            a_group(
                a_test(passes=8, fails=2, earlier=earlier_results("passed"), carried_runs=10),
                a_test("refund-policy/errs", passes=7, fails=1, errors=2),
                a_test("refund-policy/advises", passes=1, fails=9, advisory=True),
                a_skipped_test(),
                a_test("refund-policy/fine"),
            ),
            a_group(a_case(passes=0, fails=1), id="case_price.py", kind="cases"),
            a_group(id="empty"),
            warnings=["refunds.yaml:3: a warning"],
        )
        document["run"]["rerun"] = a_rerun(
            "failed",
            "passed",
            "error",
            "failed",
            None,
            "invalid",
            "skipped",
            "error",
            "interrupted",
        )
    else:
        document, runs = a_hostile_report(" ".join(NASTY))
    path = tmp_path_factory.mktemp("html") / f"{request.param}.html"
    path.write_text("".join(renderer("html").render(document, runs)), encoding="utf-8")
    return path


def module(path: str) -> Path:
    found = MODULES / path
    if not found.exists():
        missing(f"{path} is not installed (npm install --prefix tests/node)")
    return found


def output_of(*command: str) -> tuple[int, str]:
    done = subprocess.run(
        command, cwd=NODE, capture_output=True, text=True, timeout=LONGEST_SECONDS, check=False
    )
    return done.returncode, done.stdout + done.stderr


def test_the_w3c_checker_finds_nothing(page: Path) -> None:
    jar = module("vnu-jar/build/dist/vnu.jar")
    guess = ".*appears to be written in.*"  # it guesses a language from hostile text
    code, text = output_of(
        *(tool("java"), "-jar", str(jar), "--filterpattern", guess, str(page)),
    )
    assert (code, text) == (0, "")


def test_html_validate_finds_nothing(page: Path) -> None:
    program = module(".bin/html-validate")
    code, text = output_of(str(program), "--preset", "standard,a11y", str(page))
    assert code == 0, text


def test_a_browser_shows_it_whole_alone_and_accessible(page: Path) -> None:
    module("playwright-core")
    code, text = output_of(
        tool("node"), str(NODE / "look_at_report.mjs"), tool("chromium"), str(page)
    )
    assert code == 0, text
    nothing: list[str] = []
    kinds = ("violations", "requests", "console", "overflows")
    assert json.loads(text.splitlines()[-1]) == dict.fromkeys(kinds, nothing)
