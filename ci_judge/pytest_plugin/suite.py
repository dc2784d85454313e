"""The suite that pytest is asked to judge: found, read and checked before anything is collected."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from ci_judge.errors import CiJudgeError, InvalidInput
from ci_judge.model.suite import Test
from ci_judge.pytest_plugin import CONFIG
from ci_judge.pytest_plugin.background import in_a_thread
from ci_judge.redaction import Redactor
from ci_judge.settings import Settings, load_settings
from ci_judge.settings.finding import find_config
from ci_judge.visible_text import one_line
from ci_judge.workflows.baseline import FoundBaseline, find_baseline
from ci_judge.workflows.planning import Selection, Strictness
from ci_judge.workflows.secrecy import make_redactor
from ci_judge.workflows.surroundings import Surroundings
from ci_judge.workflows.surveying import Survey, survey

_LINE_CHARS = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class TestFile:
    """A file of the suite, and the tests in it."""

    path: Path
    tests: tuple[Test, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundSuite:
    """A suite that can be collected. ``files`` are its files by their real paths, in order."""

    config: Path
    surveyed: Survey
    surroundings: Surroundings
    files: Mapping[Path, TestFile]
    baseline: FoundBaseline | None


def find_suite(config: pytest.Config) -> FoundSuite:
    """Find and check the suite. Raises pytest.UsageError with a line a problem."""
    try:
        surroundings = Surroundings.real()
        found = _config_file(config)
        return _looked_at(found, surroundings)
    except CiJudgeError as error:
        raise usage_error(error) from error


def usage_error(error: CiJudgeError) -> pytest.UsageError:
    """Say in pytest's way what is wrong with the input."""
    lines = (str(problem).replace("--config", "--ci-judge-config") for problem in error.problems)
    return pytest.UsageError(*(one_line(f"ci-judge: {line}", limit=_LINE_CHARS) for line in lines))


def _config_file(config: pytest.Config) -> Path:
    """Take the file that was named, else the one that is found here or at pytest's root."""
    here = config.invocation_params.dir
    named = config.getoption(CONFIG)
    if named:
        return find_config(Path(named), here)
    try:
        return find_config(None, here)
    except InvalidInput:
        return find_config(None, config.rootpath, top=config.rootpath)


def _looked_at(path: Path, surroundings: Surroundings) -> FoundSuite:
    settings = load_settings(
        config=path, cwd=surroundings.cwd, environment=surroundings.environment, overrides={}
    )
    redactor = make_redactor(settings, surroundings, further=())
    surveyed = _survey(settings, surroundings, redactor)
    return FoundSuite(
        config=path,
        surveyed=surveyed,
        surroundings=surroundings,
        files=_by_file(surveyed, settings.root),
        baseline=in_a_thread(lambda: find_baseline(settings, None)),
    )


def _survey(settings: Settings, surroundings: Surroundings, redactor: Redactor) -> Survey:
    looking = Strictness(key_needed=False)
    try:
        return in_a_thread(
            lambda: survey(
                settings, surroundings, Selection(), redactor=redactor, strictness=looking
            )
        )
    except CiJudgeError as error:
        error.clean(redactor.text)
        raise


def _by_file(surveyed: Survey, root: Path) -> dict[Path, TestFile]:
    found: dict[Path, list[Test]] = {}
    for test in surveyed.plan.tests:
        path = Path(os.path.abspath(root / test.place.file))  # noqa: PTH100 - as it is named
        found.setdefault(path, []).append(test)
    return {
        path.resolve(): TestFile(path=path, tests=tuple(tests)) for path, tests in found.items()
    }
