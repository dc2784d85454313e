"""The runs of one test, from launch to end, and where they decide its gate."""

from collections.abc import Iterator
from enum import Enum, auto

from ci_judge.model.judging import Outcome
from ci_judge.model.results import Prefix, Tally
from ci_judge.rules.boundaries import Boundary, Seen

_OPEN, _PASS, _FAIL, _ERROR, _GIVEN_UP, _SURE_FAIL = range(6)
_LIKELY = 0.5 - 1e-9  # an even chance is enough, however it was rounded
_CODES: dict[Outcome, int] = {"pass": _PASS, "fail": _FAIL, "not_run": _GIVEN_UP}


class Need(Enum):
    """Whether the next run of a test is to be launched."""

    CERTAIN = auto()
    """The gate cannot be decided without it, whatever the runs in flight bring."""
    LIKELY = auto()
    """The runs in flight may yet decide without it, and that is no more likely than not."""
    NONE = auto()
    """No run of the test is launched any more, or not before others have ended."""


class Course:
    """Launches runs in the order of their numbers and looks at them in that order, too.

    So where a test stops depends on what its runs came to, and not on which was faster: a look at
    a run waits for all with lower numbers, and later ones that had been launched are kept but not
    counted. After ``max_errors`` runs in a row, as they ended, that gave no verdict the test is
    ``hopeless`` if it cannot be passed any more.
    """

    def __init__(self, boundary: Boundary, *, max_errors: int | None = None) -> None:
        self._boundary = boundary
        self._max_errors = max_errors
        self._codes = bytearray(boundary.runs)
        self._launched = 0
        self._restored_up_to = 0
        self._in_flight = 0
        self._ended = [0] * 6
        self._looked_at = [0] * 6
        self._looks = 0
        self._decided = False
        self._passable = False
        self._errors_in_a_row = 0

    def launch(self) -> int:
        """Count one more run as in flight and give its number, from 1."""
        self._launched = self._codes.index(_OPEN, self._launched) + 1
        self._in_flight += 1
        return self._launched

    def add(self, number: int, outcome: Outcome, *, certain: bool = False) -> None:
        """Learn how a run that was launched ended; one that was kept from sending is given up.

        ``certain`` says that checks alone decided it.
        """
        self._in_flight -= 1
        code = self._book(number, outcome, certain=certain)
        self._errors_in_a_row = self._errors_in_a_row + 1 if code == _ERROR else 0

    def restore(self, number: int, outcome: Outcome, *, certain: bool = False) -> bool:
        """Take over a run that was made earlier; False where there is no such run to make."""
        if not 1 <= number <= self._boundary.runs or self._codes[number - 1] != _OPEN:
            return False
        self._restored_up_to = max(self._restored_up_to, number)
        self._book(number, outcome, certain=certain)
        return True

    def _book(self, number: int, outcome: Outcome, *, certain: bool) -> int:
        code = _CODES.get(outcome, _ERROR)
        if code == _FAIL and certain:
            code = _SURE_FAIL
        self._codes[number - 1] = code
        self._ended[code] += 1
        self._look()
        return code

    def give_up(self) -> list[int]:
        """Launch nothing any more. Returns the numbers of the runs that will not be made."""
        codes, launched = self._codes, self._launched
        left = [n for n in range(launched + 1, len(codes) + 1) if codes[n - 1] == _OPEN]
        for number in left:
            codes[number - 1] = _GIVEN_UP
        self._ended[_GIVEN_UP] += len(left)
        return left

    def _look(self) -> None:
        """Look at the runs by number, as far as all of them have ended."""
        codes, boundary = self._codes, self._boundary
        while not self._decided and self._looks < boundary.runs:
            code = codes[self._looks]
            if code in (_OPEN, _GIVEN_UP):
                return
            self._looked_at[code] += 1
            self._looks += 1
            seen = _seen(self._looked_at)
            if seen.errors and not self._passable:
                self._passable = boundary.met(seen.total, misses=seen.fails)
            self._decided = boundary.is_decided(seen, passable=self._passable)

    @property
    def need(self) -> Need:
        if self._decided or not self._left:
            return Need.NONE
        if self._codes.find(_OPEN, self._launched) < self._restored_up_to:
            return Need.CERTAIN  # where it stops cannot be told without
        ended = _seen(self._ended)
        if self._boundary.will_be_decided(ended, in_flight=self._in_flight):
            return Need.NONE
        if self._in_flight < self._boundary.soonest(ended):
            return Need.CERTAIN
        chance = self._boundary.chance_of_need(ended, in_flight=self._in_flight)
        return Need.LIKELY if chance >= _LIKELY or not self._in_flight else Need.NONE

    @property
    def hopeless(self) -> bool:
        """Tell whether errors in a row have ended a test that they keep from being passed."""
        if self._max_errors is None or self._errors_in_a_row < self._max_errors:
            return False
        return not self._decided and not self._boundary.can_pass(_seen(self._ended))

    @property
    def complete(self) -> bool:
        """Tell whether nothing is in flight and nothing will be launched."""
        return not self._in_flight and (self._decided or not self._left)

    @property
    def _left(self) -> int:
        """How many runs have been neither launched nor given up."""
        return self._boundary.runs - sum(self._ended) - self._in_flight

    def missing(self) -> Iterator[int]:
        """Give the numbers of the runs that were to be made and have not ended."""
        if not self._decided:
            numbered = enumerate(self._codes, start=1)
            yield from (number for number, code in numbered if code == _OPEN)

    def prefix(self, runs: int) -> Prefix | None:
        """Say how the first so many runs ended, None where one of them has not been made."""
        codes = self._codes[:runs]
        if len(codes) < runs or _OPEN in codes or _GIVEN_UP in codes:
            return None
        passes = codes.count(_PASS)
        fails = codes.count(_FAIL) + codes.count(_SURE_FAIL)
        return Prefix(runs=runs, judged=passes + fails, passes=passes)

    @property
    def tally(self) -> Tally:
        planned = self._boundary.runs
        made = sum(self._ended) - self._ended[_GIVEN_UP]
        codes = self._looked_at if self._decided else self._ended
        counted = _seen(codes)
        not_made = planned - made
        return Tally(
            planned=planned,
            passes=counted.passes,
            fails=counted.fails,
            errors=counted.errors,
            # A run given up has a higher number than all that decided, whyever it was.
            not_run=0 if self._decided else not_made,
            not_needed=not_made if self._decided else 0,
            uncounted=made - counted.total,
            passable=self._passable,
            certain=codes[_SURE_FAIL],
        )


def _seen(counts: list[int]) -> Seen:
    fails = counts[_FAIL] + counts[_SURE_FAIL]
    return Seen(passes=counts[_PASS], fails=fails, errors=counts[_ERROR])
