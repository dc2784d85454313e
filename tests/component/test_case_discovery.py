from fractions import Fraction
from pathlib import Path

import pytest

from ci_judge.errors import InvalidInput, Place
from ci_judge.model.suite import GateDefaults, GateKind, GateRule
from tests.case_folder import CaseFolder, value_of


@pytest.fixture
def folder(tmp_path: Path) -> CaseFolder:
    return CaseFolder(tmp_path)


def problems_of(folder: CaseFolder) -> list[str]:
    with pytest.raises(InvalidInput) as refused:
        folder.discover()
    return list(map(str, refused.value.problems))


def test_cases_are_found_by_name_with_all_they_were_told(folder: CaseFolder) -> None:
    folder.write(
        "sub/case_a.py",
        """\
        @case("Second.", tags=["x"], advisory=True, skip="not yet")
        async def test_b():
            return 2

        @case("First.")
        def test_a():
            return 1

        def helper():
            return 3
        """,
    )
    first, second = folder.discover()
    assert (first.id, first.requirement) == ("sub/case_a.py::test_a", "First.")
    assert (first.file, first.place) == ("sub/case_a.py", Place(file="sub/case_a.py", line=6))
    assert (second.function, second.tags) == ("test_b", frozenset({"x"}))
    assert (second.advisory, second.skip) == (True, "not yet")


def test_gates_come_from_the_mark_before_the_defaults(folder: CaseFolder) -> None:
    folder.write(
        "case_a.py",
        """\
        @case("R")
        def test_alone(): ...
        @case("R", runs=20)
        def test_defaults(): ...
        @case("R", runs=20, misses=0)
        def test_misses(): ...
        @case("R", runs=20, threshold=0.1, gate="rate")
        def test_own(): ...
        @case("R", runs=3, threshold="2/3")
        def test_text(): ...
        """,
    )
    defaults = GateDefaults(
        kind=GateKind.EXACT,
        runs=50,
        threshold=Fraction(9, 10),
        confidence=Fraction(99, 100),
        misses=4,
    )
    gates = {found.function: found.gate for found in folder.discover(defaults)}
    assert gates["test_alone"] == GateRule(kind=GateKind.RATE, runs=1, threshold=Fraction(1))
    assert gates["test_defaults"] == GateRule(
        kind=GateKind.EXACT,
        runs=20,
        threshold=Fraction(9, 10),
        confidence=Fraction(99, 100),
        misses=4,
    )
    assert (gates["test_misses"].kind, gates["test_misses"].misses) == (GateKind.MISSES, 0)
    assert (gates["test_own"].kind, gates["test_own"].threshold) == (
        GateKind.RATE,
        Fraction(1, 10),
    )
    assert gates["test_text"].threshold == Fraction(2, 3)


def test_files_of_one_name_do_not_clash(folder: CaseFolder) -> None:
    for place in ("app", "lib", "with space", "v1.2"):
        folder.write(
            f"{place}/case_util.py",
            f'@case("R {place}")\ndef test_value():\n    return "{place}"\n',
        )
    found = folder.discover()
    assert [item.id for item in found] == [
        "app/case_util.py::test_value",
        "lib/case_util.py::test_value",
        "with space/case_util.py::test_value",
        "v1.2/case_util.py::test_value",
    ]
    assert [item.requirement for item in found] == ["R app", "R lib", "R with space", "R v1.2"]


def test_imported_cases_count_where_they_are_defined(folder: CaseFolder) -> None:
    folder.write("case_a.py", '@case("Shared.")\ndef test_shared():\n    return 1\n')
    folder.write(
        "case_b.py",
        'from case_a import *\nalias = test_shared\n@case("Own.")\ndef test_own():\n    return 2\n',
    )
    assert [item.id for item in folder.discover()] == [
        "case_a.py::test_shared",
        "case_b.py::test_own",
    ]


def test_a_file_that_is_listed_twice_counts_once(folder: CaseFolder) -> None:
    folder.write("case_a.py", '@case("R")\ndef test_a():\n    return 1\n')
    folder.files.append(folder.root / "sub" / ".." / "case_a.py")
    (folder.root / "sub").mkdir()
    assert len(folder.discover()) == 1


def test_wrapped_and_renamed_cases_are_called_by_the_name_they_are_bound_to(
    folder: CaseFolder,
) -> None:
    folder.write(
        "case_a.py",
        """\
        import functools

        def doubled(function):
            @functools.wraps(function)
            def wrapper():
                return 2 * function()
            return wrapper

        @doubled
        @case("R")
        def test_wrapped():
            return 21

        short = case("R")(lambda: 7)
        """,
    )
    outcomes = folder.call_all()
    assert {name: value_of(outcome) for name, outcome in outcomes.items()} == {
        "test_wrapped": 42,
        "short": 7,
    }


def test_everything_wrong_in_all_files_is_said_at_once(folder: CaseFolder) -> None:
    folder.write("case_missing.py", "\nimport no_such_module_here\n")
    folder.write(
        "case_shape.py",
        """\
        @case("Takes one.")
        def test_argument(x): ...
        @case("")
        def test_empty(): ...
        @case("One.")
        def test_twice(): ...
        @case("Two.")
        def test_twice(): ...
        @case
        def test_bare(): ...
        class Group:
            @case("R")
            @staticmethod
            def test_inside(): ...
        """,
    )
    folder.write("case_syntax.py", "\ndef test_x(:\n")
    folder.write("case_relative.py", "from .helpers import V\n")
    folder.write("case_none.py", "def test_x(): ...\n")
    folder.write("case_exit.py", "import sys\nsys.exit(3)\n")
    folder.write("case_raise.py", "def fail():\n    raise ValueError('a\\nb')\nfail()\n")
    shown = problems_of(folder)
    assert shown == [
        (
            "case_missing.py:3: the file cannot be imported: ModuleNotFoundError: No module named "
            "'no_such_module_here' (install it where ci-judge itself is, as by pip install -e . "
            "for a project of your own, or put the module beside the case file)"
        ),
        'case_shape.py:2: a case takes no parameters, but "test_argument" has "x"',
        "case_shape.py:4: the requirement of @case is empty; say in words what must be true",
        'case_shape.py:10: @case needs the requirement: write @case("…") above "test_bare"',
        "case_shape.py:13: @case belongs on a function, not on a staticmethod",
        "case_syntax.py:3: SyntaxError: invalid syntax",
        (
            "case_relative.py:2: the file cannot be imported: ImportError: attempted relative "
            "import with no known parent package (the file's own folder is importable: write "
            "`from name import …` without the dot)"
        ),
        (
            'case_none.py: the file holds no case of its own (mark a function with @case("…"), or '
            "narrow suite.pattern)"
        ),
        (
            "case_exit.py:3: the file calls sys.exit(3) while it is imported (put such code under "
            '`if __name__ == "__main__":`)'
        ),
        "case_raise.py:3: the file cannot be imported: ValueError: a b",
    ]


def test_cases_that_cannot_be_reached_are_not_dropped(folder: CaseFolder) -> None:
    folder.write(
        "case_a.py",
        """\
        @case("One.")
        def test_twice(): ...
        @case("Two.")
        def test_twice(): ...
        class Group:
            @case("R")
            def test_inside(): ...
        """,
    )
    assert problems_of(folder) == [
        'case_a.py:2: the case "test_twice" is replaced further down (give each its own name)',
        (
            'case_a.py:7: the case "test_inside" does not stand at the top level of the file '
            "(move it out of the class or function around it)"
        ),
    ]


def test_an_import_that_hangs_is_a_problem(folder: CaseFolder) -> None:
    folder.import_seconds = 0.5
    folder.write("case_hang.py", "import time\ntime.sleep(3600)\n")
    assert problems_of(folder) == [
        (
            "case_hang.py: importing the file took more than 0.5 s (move slow work from the top "
            "level into the cases)"
        )
    ]


def test_an_import_that_crashes_is_a_problem_with_its_last_words(folder: CaseFolder) -> None:
    folder.write("case_crash.py", "import os\nprint('last words', flush=True)\nos._exit(7)\n")
    assert problems_of(folder) == [
        (
            "case_crash.py: the file cannot be imported: the process ended with exit code 7 "
            "(its last output: last words)"
        )
    ]


def test_helpers_beside_the_file_are_found_but_never_shadow_the_standard_library(
    folder: CaseFolder,
) -> None:
    folder.write_helper("json.py", "raise SystemExit('shadowed')\n")
    folder.write_helper("pytest.py", "V = 'the helper, not the package'\n")
    folder.write(
        "case_a.py",
        """\
        import json
        import pytest

        @case("R")
        def test_a():
            return json.dumps(pytest.V)
        """,
    )
    (outcome,) = folder.call_all().values()
    assert value_of(outcome) == '"the helper, not the package"'


def test_a_file_named_like_a_module_of_the_standard_library_is_fine(folder: CaseFolder) -> None:
    folder.write("email.py", '@case("R")\ndef test_a():\n    import email.message\n    return 1\n')
    (outcome,) = folder.call_all().values()
    assert value_of(outcome) == 1


def test_nothing_is_left_in_the_folder(folder: CaseFolder) -> None:
    folder.write_helper("helper.py", "V = 1\n")
    folder.write("case_a.py", 'import helper\n@case("R")\ndef test_a():\n    return helper.V\n')
    folder.call_all()
    assert sorted(path.name for path in folder.root.rglob("*")) == ["case_a.py", "helper.py"]


def test_a_lazy_object_that_refuses_to_be_looked_at_is_no_obstacle(folder: CaseFolder) -> None:
    folder.write(
        "case_a.py",
        """\
        class Lazy:
            def __getattribute__(self, name):
                raise RuntimeError("not ready")
            def __call__(self): ...

        lazy = Lazy()

        @case("R")
        def test_a():
            return 1
        """,
    )
    assert len(folder.discover()) == 1


@pytest.mark.parametrize(
    ("mark", "problem"),
    [
        ('@case("R", run=10)', '@case has no option "run" (did you mean "runs"?)'),
        ('@case("R", colour=1)', '@case has no option "colour" (there are runs, threshold, gate'),
        ('@case("R", 10)', "@case takes the requirement alone without a name"),
        ("@case(runs=10)", '@case needs the requirement (write it first, as text: @case("…"))'),
    ],
)
def test_a_misused_option_is_told_in_the_words_of_the_decorator(
    folder: CaseFolder, mark: str, problem: str
) -> None:
    folder.write("case_a.py", f"{mark}\ndef test_a():\n    return 1\n")
    (found,) = problems_of(folder)
    assert found.startswith(f"case_a.py:2: {problem}")


def test_a_type_error_of_the_files_own_is_not_blamed_on_the_decorator(folder: CaseFolder) -> None:
    folder.write("case_a.py", "def case_of(): ...\n\ncase_of(1)\n")
    (found,) = problems_of(folder)
    assert "the file cannot be imported: TypeError" in found


def test_a_lone_quote_in_a_requirement_is_refused_at_its_line(folder: CaseFolder) -> None:
    folder.write(
        "case_a.py",
        """\
        @case('Says "14 days".')
        def test_fine():
            return 1

        @case('Says "14 days.')
        def test_lone():
            return 1
        """,
    )
    (found,) = problems_of(folder)
    assert found.startswith('case_a.py:6: the requirement of "test_lone" cannot be read')


def test_a_hidden_variable_is_named_when_the_file_is_imported(folder: CaseFolder) -> None:
    folder.environment = {**folder.environment, "CHAT_KEY": "hush"}
    folder.write("case_a.py", 'import os\nKEY = os.environ["CHAT_KEY"]\n')
    (found,) = problems_of(folder)
    assert "suite.env names: add CHAT_KEY to it" in found


def test_a_wrong_name_of_ours_is_answered_with_the_right_one(folder: CaseFolder) -> None:
    folder.write("case_a.py", "from ci_judge import Case\n")
    (found,) = problems_of(folder)
    assert found.endswith("(write `from ci_judge import case`)")


def test_gates_that_cannot_be_meant_are_refused_as_in_scenarios(folder: CaseFolder) -> None:
    folder.write(
        "case_gates.py",
        """\
        @case("R", runs=3, misses=5)
        def test_misses():
            return 1

        @case("R", runs=3, gate="misses", threshold=0.5)
        def test_threshold():
            return 1

        @case("R", runs=20_000)
        def test_runs():
            return 1
        """,
    )
    shown = problems_of(folder)
    assert len(shown) == 3
    assert 'misses of "test_misses" makes 5 misses of 3 runs' in "".join(shown)
    assert 'threshold of "test_threshold" does nothing with gate: misses' in "".join(shown)
    assert "runs of @case must be a whole number from 1 to 10000" in "".join(shown)


def test_a_file_that_writes_nonsense_to_its_channel_is_one_problem(folder: CaseFolder) -> None:
    write = "import os, sys\nos.write(int(sys.orig_argv[-2]), {!r})\n"
    folder.write("case_deep.py", write.format(b"[" * 200_000 + b"\n"))
    folder.write("case_odd.py", write.format(b'{"cases": [{"function": 3}], "mistakes": 5}\n'))
    for shown in problems_of(folder):
        assert "sent no readable report" in shown
        assert len(shown) < 300
