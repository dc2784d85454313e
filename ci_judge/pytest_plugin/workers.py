"""Under pytest-xdist: what each worker is told, and the one report out of theirs."""

import secrets
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import pytest

from ci_judge.engine.intake import Intake
from ci_judge.errors import CiJudgeError
from ci_judge.file_schema import fixed_number
from ci_judge.pytest_plugin.suite import FoundSuite, usage_error
from ci_judge.sinks.files import prepare_report_folder
from ci_judge.workflows.gathering import Gathered, gather_reports
from ci_judge.workflows.handing_out import Handout
from ci_judge.workflows.publishing import clear_old_reports

_KEY: Final = "ci_judge"


@dataclass(frozen=True, slots=True, kw_only=True)
class Worker:
    """One of several processes that share the items. ``folder`` is for its own report."""

    handout: Handout
    folder: str
    count: int

    def overrides(self, suite: FoundSuite) -> dict[str, Any]:
        """Give the settings of one worker: what limits a run is shared out among all of them."""
        return {"report.dir": self.folder, **dict(_shares(suite, self.count))}


def _shares(suite: FoundSuite, count: int) -> Iterator[tuple[str, Any]]:
    settings = suite.surveyed.settings
    limits = {"run.concurrency": fixed_number(settings.run.concurrency)}
    if settings.judge is not None:
        limits["judge.concurrency"] = fixed_number(settings.judge.concurrency)
    limits |= {f"budget.{name}": getattr(settings.budget, name) for name in ("requests", "tokens")}
    for key, limit in limits.items():
        if limit is not None:
            yield key, max(1, limit // count)
    if settings.budget.usd is not None:
        yield "budget.usd", settings.budget.usd / count


def worker_of(config: pytest.Config) -> Worker | None:
    """Read what the controller has told this process; None where it is not a worker."""
    told = getattr(config, "workerinput", {}).get(_KEY)
    if told is None:
        return None
    handout = Handout(intake=Intake(), seed=told["seed"])
    return Worker(handout=handout, folder=told["folder"], count=told["count"])


class Controller:
    """The process above the workers. It judges nothing and makes one report of theirs."""

    def __init__(self, config: pytest.Config, suite: FoundSuite) -> None:
        if config.getoption("dist", "no") == "each":
            raise pytest.UsageError(
                "ci-judge: --dist each would judge every test once in each worker (use --dist load)"
            )
        self._suite = suite
        settings = suite.surveyed.settings
        if settings.run.fail_on == "regression":
            raise pytest.UsageError(
                "ci-judge: run.fail_on regression needs the whole, which no worker has (use -n 0)"
            )
        self._seed = suite.surroundings.fresh_seed() if settings.seed is None else settings.seed
        self._folder = settings.report_dir / f".workers-{secrets.token_hex(8)}"
        try:
            prepare_report_folder(settings.report_dir)
            clear_old_reports(settings, junit_copy=None)
        except CiJudgeError as error:
            raise usage_error(error) from error
        self._folder.mkdir()

    def instruct(self, node: Any) -> None:
        """Tell a worker where its report goes, and what all of them have in common."""
        node.workerinput[_KEY] = {
            "folder": str(self._folder / node.gateway.id),
            "seed": self._seed,
            "count": node.workerinput["workercount"],
        }

    @property
    def has_begun(self) -> bool:
        """Tell whether a worker has begun to judge."""
        return self._folder.exists() and any(self._folder.iterdir())

    def gather(self, warn: Callable[[str], None]) -> Gathered | None:
        """Make one report of those that the workers have left; None where there is none.

        Raises CiJudgeError where they do not belong together.
        """
        settings = self._suite.surveyed.settings
        reports = sorted(self._folder.glob(f"*/{settings.report.json_name}"))
        try:
            if not reports:
                return None
            return gather_reports(
                reports,
                settings=settings,
                redactor=self._suite.surveyed.redactor,
                baseline=self._suite.baseline,
                warn=warn,
            )
        finally:
            shutil.rmtree(self._folder, ignore_errors=True)
