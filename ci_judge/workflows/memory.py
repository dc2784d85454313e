"""What outlives a run: the cache, and the log of verdicts, in ``run.cache_dir``."""

from collections import Counter
from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from typing import Any

from ci_judge.cache import Cache
from ci_judge.document.cleaning import clean_entry
from ci_judge.document.verdict_entries import verdict_entries
from ci_judge.engine.attempt import Bench
from ci_judge.engine.seats import Seat, Seats
from ci_judge.engine.verdict_log import VERDICTS_NAME, VerdictLog
from ci_judge.judges.caching import CachingJudge
from ci_judge.model.document import VerdictEntry
from ci_judge.model.judging import JudgeIdentity, Run
from ci_judge.redaction import Redactor
from ci_judge.settings import Settings
from ci_judge.targets.recording import RecordingTarget

CACHE_NAME = "cache.sqlite3"


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """The cache is None with ``run.cache: off``; the log is kept all the same.

    ``responses`` says that the cache holds the target's responses, too.
    """

    cache: Cache | None
    responses: bool
    log: VerdictLog

    def equip(self, bench: Bench) -> Bench:
        """Give judges (and targets) that look into the cache before they ask."""
        if self.cache is None:
            return bench
        equipped = replace(bench, seats=_remembering(bench.seats, self.cache))
        if not self.responses:
            return equipped
        recording = {
            name: RecordingTarget(target, self.cache) for name, target in bench.targets.items()
        }
        return replace(equipped, targets=recording)

    def record(self, run: Run, bench: Bench) -> None:
        """Log the verdicts of a run that ended."""
        if run.trials:
            judges = [seat.judge.identity for seat in bench.seats.taken]
            self.log.append(list(verdict_entries(run, judges)))

    def warnings(self, *, replayed: int) -> Iterator[str]:
        """Bring everything onto the disk, and say what a reader of the report must know."""
        yield from replay_warning(replayed)
        if self.cache is not None:
            self.cache.flush()
            yield from self.cache.problems
        if self.log.problem is not None:
            yield self.log.problem


def replay_warning(replayed: int) -> Iterator[str]:
    """Say of how many conversations the target was not asked; nothing where it always was."""
    if replayed:
        yield (
            f"{replayed:,} of the conversations were replayed from the cache (run.cache: all):"
            " their target was not asked"
        )


def open_memory(settings: Settings, redactor: Redactor, stack: AsyncExitStack) -> Memory:
    """Make ready to remember; nothing is on the disk before there is something to keep."""

    def storable(value: Any) -> bool:
        return bool(redactor.value(value) == value)

    def clean(entry: VerdictEntry) -> VerdictEntry:
        return clean_entry(entry, redactor)

    cache = None
    if settings.run.cache != "off":
        cache = Cache(settings.cache_dir / CACHE_NAME, storable=storable)
        stack.callback(cache.close)
    log = VerdictLog(settings.cache_dir / VERDICTS_NAME, clean=clean)
    stack.callback(log.close)
    return Memory(cache=cache, responses=settings.run.cache == "all", log=log)


def _remembering(seats: Seats, cache: Cache) -> Seats:
    """Judges of a panel that are the same judge twice keep opinions of their own."""
    alike: Counter[JudgeIdentity] = Counter()
    taken: list[Seat] = []
    for seat in seats.taken:
        alike[seat.judge.identity] += 1
        voice = alike[seat.judge.identity]
        taken.append(replace(seat, judge=CachingJudge(seat.judge, cache, voice=voice)))
    return replace(seats, taken=tuple(taken))
