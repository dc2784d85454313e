"""``waivers.yaml``: tests that are known to fail, and may until a day that is near."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from difflib import get_close_matches
from pathlib import Path
from typing import Final, TypeVar

from ci_judge.errors import InvalidInput, Problem
from ci_judge.file_schema import (
    LoadedFile,
    load_yaml,
    problems_or,
    read_text,
)
from ci_judge.model.suite import Case, Scenario, Suite, Test, Waiver
from ci_judge.suites.waiver_file import MOST_DAYS, NAMES, WaiverKeys

AnyTest = TypeVar("AnyTest", Scenario, Case)
_NAMED_IDS: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenWaiver:
    """A waiver as the file has it, and the test that it names."""

    test: str
    waiver: Waiver
    last_day: date


def load_waivers(root: Path, *, today: date) -> tuple[WrittenWaiver, ...]:
    """Read the waivers beside the configuration; none where there is no such file.

    Raises InvalidInput with every mistake in it.
    """
    files = [root / name for name in NAMES if (root / name).exists()]
    if not files:
        return ()
    if len(files) > 1:
        raise InvalidInput.of(f"there are two files of waivers: {' and '.join(NAMES)}")
    name = files[0].name
    loaded = load_yaml(read_text(files[0], file=name), file=name)
    if loaded.data is None:
        return ()
    if not isinstance(loaded.data, list):
        hint = "begin each waiver with a dash: - test: …, reason, owner, expires"
        raise InvalidInput.of("waivers must be a list", hint=hint, place=loaded.place())
    problems: list[Problem] = []
    found = tuple(_waivers(loaded, today, problems))
    problems += _repeated(found)
    if problems:
        raise InvalidInput(*problems)
    return found


def _waivers(loaded: LoadedFile, today: date, problems: list[Problem]) -> Iterator[WrittenWaiver]:
    for number in range(len(loaded.data)):
        keys = problems_or(loaded, WaiverKeys, at=(number,))
        if isinstance(keys, tuple):
            problems += keys
            continue
        last = date.fromisoformat(keys.expires)
        latest = today + timedelta(days=MOST_DAYS)
        if last > latest:
            message = (
                f'the waiver of "{keys.test}" ends on {last}, more than {MOST_DAYS} days ahead'
            )
            place = loaded.place((number, "expires"))
            problems.append(Problem(message=message, hint=f"at most {latest}", place=place))
        waiver = Waiver(
            reason=" ".join(keys.reason.split()),
            owner=" ".join(keys.owner.split()),
            expires=keys.expires,
            place=replace(loaded.place((number,)), column=None),
        )
        yield WrittenWaiver(test=keys.test, waiver=waiver, last_day=last)


def _repeated(waivers: Iterable[WrittenWaiver]) -> Iterator[Problem]:
    first: dict[str, WrittenWaiver] = {}
    for each in waivers:
        earlier = first.setdefault(each.test, each)
        if earlier is not each:
            message = f'"{each.test}" is waived twice: {earlier.waiver.place} has it, too'
            yield Problem(message=message, hint="keep one of them", place=each.waiver.place)


def with_waivers(suite: Suite, waivers: Sequence[WrittenWaiver], *, today: date) -> Suite:
    """Give each test the waiver that is in force for it; what is past its day is warned about.

    Raises InvalidInput for waivers of tests that are not there.
    """
    tests = {test.id: test for test in suite.tests}
    partial = {each.row.template for each in suite.scenarios if each.row and each.row.some}
    lost = [each for each in waivers if each.test not in tests and not _left_out(each, partial)]
    if lost:
        raise InvalidInput(*(_matches_nothing(each, list(tests)) for each in lost))
    known = [each for each in waivers if each.test in tests]
    in_force = {each.test: each.waiver for each in known if each.last_day >= today}
    return replace(
        suite,
        scenarios=tuple(_with_waiver(each, in_force.get(each.id)) for each in suite.scenarios),
        cases=tuple(_with_waiver(each, in_force.get(each.id)) for each in suite.cases),
        warnings=(*suite.warnings, *map(str, _doubts(known, tests, today))),
    )


def _with_waiver(test: AnyTest, waiver: Waiver | None) -> AnyTest:
    return test if waiver is None else replace(test, waiver=waiver)


def _left_out(waiver: WrittenWaiver, partial: Iterable[str]) -> bool:
    """Tell whether it is of a row that a limit or a sample may just have left out."""
    return waiver.test.endswith("]") and any(waiver.test.startswith(f"{name}[") for name in partial)


def _matches_nothing(each: WrittenWaiver, ids: Sequence[str]) -> Problem:
    rows = [test_id for test_id in ids if test_id.startswith(f"{each.test}[")]
    close = rows or get_close_matches(each.test, ids, n=1, cutoff=0.5)
    names = " or ".join(f'"{name}"' for name in close[:_NAMED_IDS])
    return Problem(
        message=f'the waiver of "{each.test}" matches no test',
        hint=f"did you mean {names}?" if names else "remove it; ci-judge check lists the tests",
        place=each.waiver.place,
    )


def _doubts(
    waivers: Iterable[WrittenWaiver], tests: dict[str, Test], today: date
) -> Iterator[Problem]:
    for each in waivers:
        test, waiver = tests[each.test], each.waiver
        if each.last_day < today:
            yield Problem(
                message=f'the waiver of "{each.test}" ended on {waiver.expires}: it counts again',
                hint=f"its owner is {waiver.owner}; remove the waiver, or renew it with a reason",
                place=waiver.place,
            )
        elif test.advisory or test.skip is not None:
            why = "is advisory" if test.advisory else "is skipped"
            message = f'the waiver of "{each.test}" does nothing: the test {why}'
            yield Problem(message=message, hint="remove one of the two", place=waiver.place)
