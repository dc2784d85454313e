"""How often a test runs: a number, or the least and the most for the adaptive gate."""

from typing import Annotated, Self, TypeAlias

from pydantic import Field, model_validator

from ci_judge.file_schema.markers import Wanted, wrong
from ci_judge.file_schema.models import FileModel

MOST_RUNS = 10_000
ADAPTIVE_RUNS = "runs: {min: 20, max: 100}, or another gate"

_Runs: TypeAlias = Annotated[int, Field(ge=1, le=MOST_RUNS)]


class RunRange(FileModel):
    """The least and the most runs of a test whose gate is adaptive."""

    min: _Runs = Field(description="Runs that are made in any case.")
    max: _Runs = Field(description="Runs after which the test ends in any case.")

    @model_validator(mode="after")
    def _min_comes_first(self) -> Self:
        if self.min > self.max:
            raise wrong(f"is less than min, which is {self.min}", key="max")
        return self


Runs: TypeAlias = Annotated[
    _Runs | RunRange, Wanted(f"a whole number from 1 to {MOST_RUNS}, or {{min, max}}")
]
"""A number of runs, or ``{min: 20, max: 100}``."""


def most_runs(runs: int | RunRange) -> int:
    """Give how many runs are planned at the most."""
    return runs.max if isinstance(runs, RunRange) else runs


def least_runs(runs: int | RunRange) -> int | None:
    """Give how many runs are made in any case, None where the number is fixed."""
    return runs.min if isinstance(runs, RunRange) else None
