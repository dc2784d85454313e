"""Why a run brought no verdict, or was not made: closed lists of reasons."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from ci_judge.model.evidence import FailureCode


class NotRunCode(StrEnum):
    """Why a planned run was not made. Runs that were made and went wrong have a ``FailureCode``."""

    INTERRUPTED = "interrupted"
    MAXFAIL = "maxfail"
    DISK = "disk"
    """The runs could not be written down any more."""
    MAX_ERRORS = "max_errors"
    ORIGIN_DOWN = "origin_down"
    BUDGET = "budget"
    NOT_RECORDED = "not_recorded"
    """Recorded evidence is judged, and there is none of this run."""
    SHARD_MISSING = "shard_missing"
    """It was another shard's, whose report was not there to be merged."""


ReasonCode: TypeAlias = FailureCode | NotRunCode


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasonCount:
    """How many runs have no verdict for this reason."""

    code: ReasonCode
    runs: int
