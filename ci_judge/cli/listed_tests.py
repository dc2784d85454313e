"""The tests of a plan with their gates, one a line; of a dataset's rows the first few."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from ci_judge.model.suite import Scenario, Test
from ci_judge.renderers.wording import counted
from ci_judge.rules.gates import needs

MOST_ROWS = 5


def listed_tests(tests: Iterable[Test], *, every_row: bool = False) -> Iterator[str]:
    """Yield a line for each test. Of rows that promise the same only MOST_ROWS are named."""
    for template, group in groupby(tests, key=_template):
        if template is None or every_row:
            yield from map(_line, group)
        else:
            yield from _rows(template, tuple(group))


def _template(test: Test) -> str | None:
    return test.row.template if isinstance(test, Scenario) and test.row else None


def _rows(template: str, tests: Sequence[Test]) -> Iterator[str]:
    """Name the first rows, and each later one that is unlike most: it may be waived."""
    gates = [_gate(test) for test in tests]
    ((usual, _),) = Counter(gates).most_common(1)
    left_out = 0
    for number, (test, gate) in enumerate(zip(tests, gates, strict=True)):
        if number < MOST_ROWS or gate != usual:
            yield _line(test)
        else:
            left_out += 1
    if left_out:
        yield f"  … and {counted(left_out, 'more row')} of {template} (-k or -m lists every row)"


def _line(test: Test) -> str:
    return f"  {test.id}  {_gate(test)}"


def _gate(test: Test) -> str:
    if test.skip is not None:
        return f"skipped: {test.skip}"
    waived = "" if test.waiver is None else f", waived until {test.waiver.expires}"
    return f"{test.gate.kind.value}, needs {needs(test.gate)}{waived}"
