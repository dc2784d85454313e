"""What ``ci-judge plan`` says of gates, in whole lines."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import pytest

from ci_judge.cli.design_lines import MOST_GATES, design_lines
from ci_judge.model.calibration import LabelCounts
from ci_judge.model.suite import GateKind, GateRule, Test, Waiver
from tests.model_builders import a_case_test, a_rule, a_scenario

EIGHTY = Fraction(8, 10)
EXACT = a_rule(kind=GateKind.EXACT, runs=30, threshold=EIGHTY)
ADAPTIVE = a_rule(kind=GateKind.ADAPTIVE, runs=100, min_runs=20, threshold=EIGHTY)
LASTING = Waiver(
    reason="ticket 812", owner="ann@example.com", expires="2026-12-31", place=a_scenario().place
)


def lines(*tests: Test, usual: GateRule = EXACT) -> list[str]:
    return list(design_lines(tests, usual=usual, alpha=Fraction(1, 20)))


def with_gates(*rules: GateRule) -> list[Test]:
    return [a_scenario(f"t{number}", gate=rule) for number, rule in enumerate(rules)]


def block(shown: Sequence[str], head: str) -> list[str]:
    """Give the lines below the one that begins so."""
    (start,) = [place for place, line in enumerate(shown) if line.startswith(head)]
    below = shown[start + 1 :]
    end = next((place for place, line in enumerate(below) if not line.startswith("  ")), len(below))
    return list(below[:end])


def test_a_whole_plan_fits_on_a_screen() -> None:
    assert lines(*with_gates(EXACT, EXACT)) == [
        "gate exact, 80 % in 30 runs (2 tests): needs at least 28 of 30",
        "    a feature right only 80 % of the time gets through by luck in 4 % of CI runs",
        "    a feature is right             99 %     95 %     90 %  of the time",
        "    the gate passes in           99.7 %     81 %     41 %  of CI runs",
        "    two CI runs disagree in         1 %     31 %     48 %  of pairs",
        "all 2 tests together, each right that often by itself",
        "    a feature is right             99 %     95 %     90 %  of the time",
        "    every gate passes in           99 %     66 %     17 %  of CI runs",
        "    two CI runs disagree in         1 %     45 %     28 %  of pairs",
        (
            "compared with an earlier run of the same size, with 5 % false alarms, this fall of "
            "the true rate is seen about 4 times in 5"
        ),
        "    in a test of 30 runs that falls alone: from 95 % to 67 %",
        "    in all 2 tests together: from 95 % to 80 %",
        "other designs for 80 %, where a feature is right 95 % of the time",
        "                                  needs   passes  disagree  by luck   runs",
        "    exact, 20 runs                   20     36 %      46 %      1 %     20",
        "    exact, 30 runs                   28     81 %      31 %      4 %     30",
        "    exact, 50 runs                   45     96 %       7 %      5 %     50",
        "    adaptive, 20 to 100 runs         20     99 %       3 %      3 %     38",
        """    try one: ci-judge plan --gate adaptive --runs '{"min": 20, "max": 100}'""",
        (
            "    to keep it, write under run in ci-judge.yaml: gate: adaptive, "
            "runs: {min: 20, max: 100}"
        ),
        "All of this holds if the judge never errs.",
    ]


def test_a_gate_that_may_stop_says_how_many_runs_to_expect() -> None:
    shown = lines(*with_gates(ADAPTIVE))
    assert shown[0] == (
        "gate adaptive, 80 % in 20 to 100 runs (1 test): needs 20 of 20, or more runs if some fail "
        "(up to 87 of 96)"
    )
    assert "    runs on average                  22       38       60" in shown
    assert "    in a test of 20 runs: from 95 % to 64 %" in shown


def test_a_gate_out_of_reach_says_so_with_the_remedy_and_no_figures() -> None:
    shown = lines(*with_gates(a_rule(runs=3)))
    assert shown[0] == (
        "gate lower_bound, 70 % in 3 runs (1 test): cannot be passed, not even by a perfect score"
    )
    assert "use at least 9 runs" in shown[1]
    assert "CI runs" not in "".join(shown[:2])


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        (a_rule(kind=GateKind.RATE, threshold=Fraction(0)), "cannot fail, whatever the runs say"),
        (replace(ADAPTIVE, runs=9_000), "its figures are not computed for so many runs"),
    ],
)
def test_a_gate_without_figures_says_why(rule: GateRule, said: str) -> None:
    (first, *rest) = lines(*with_gates(rule, rule))
    assert first.endswith(f"(2 tests): {said}")
    assert "None" not in "".join(rest)


def test_what_fails_no_step_has_no_part_in_the_whole() -> None:
    shown = lines(
        *with_gates(EXACT, EXACT),
        a_scenario("advisory", gate=EXACT, advisory=True),
        a_scenario("waived", gate=EXACT, waiver=LASTING),
    )
    assert shown[0].startswith("gate exact, 80 % in 30 runs (4 tests)")
    assert (
        "all 2 tests together, each right that often by itself, without 2 advisory or waived"
        in shown
    )


def test_of_a_single_test_nothing_is_put_together() -> None:
    assert not any("together" in line for line in lines(*with_gates(EXACT)))


def test_a_case_of_one_run_counts_and_is_told_of() -> None:
    shown = lines(a_case_test("one"), a_case_test("two"))
    assert block(shown, "all 2 tests together") == [
        "    a feature is right             99 %     95 %     90 %  of the time",
        "    every gate passes in           98 %     90 %     81 %  of CI runs",
        "    two CI runs disagree in         4 %     18 %     31 %  of pairs",
        "    (a test of one run that leaves nothing to chance takes nothing off that)",
    ]


def test_no_fall_is_promised_where_samples_are_cut_short() -> None:
    early = replace(EXACT, early_stop=True)
    shown = lines(*with_gates(early))
    assert "compared with an earlier run: no fall is seen, since every test may stop early" in shown
    mixed = block(lines(*with_gates(early, EXACT)), "compared with")
    assert mixed == [
        "    in a test of 30 runs: from 95 % to 71 %",
        "    1 test that may stop early: by the gate alone",
    ]


def test_a_fall_too_small_for_whole_percents_is_still_told_apart() -> None:
    shown = block(lines(*with_gates(*[EXACT] * 1_000)), "compared with")
    assert shown[-1] == "    in all 1,000 tests together: from 95 % to 94.5 %"


def test_a_gate_with_labels_counts_in_what_they_show_of_the_judge() -> None:
    perfect = LabelCounts(human_passes=100, agreed_passes=100, human_fails=100, agreed_fails=100)
    strict = replace(perfect, agreed_passes=90)
    corrected = a_rule(kind=GateKind.CORRECTED, runs=60, threshold=EIGHTY, labels=perfect)
    shown = [lines(*with_gates(replace(corrected, labels=each))) for each in (perfect, strict)]
    rows = [next(line for line in each if "the gate passes in" in line) for each in shown]
    assert rows[0] != rows[1]
    rest = "as its labels show it (approximate); the rest holds if it never errs."
    assert {each[-1] for each in shown} == {f"The judge's own error is counted in {rest}"}
    mixed = lines(*with_gates(corrected, EXACT))
    assert mixed[-1] == f"The judge's own error is counted in for the gate corrected {rest}"


def test_many_gates_are_not_all_shown() -> None:
    rules = [replace(EXACT, runs=runs) for runs in range(30, 40)]
    shown = lines(*with_gates(*rules, rules[7]))
    heads = [line for line in shown if line.startswith("gate ")]
    assert len(heads) == MOST_GATES
    assert heads[0].startswith("gate exact, 80 % in 37 runs (2 tests)")
    assert "… and 6 more gates (choose tests with -k or -m)" in shown


def test_other_designs_are_for_the_threshold_that_most_tests_want() -> None:
    ninety = a_rule(threshold=Fraction(9, 10), runs=40)
    shown = lines(*with_gates(EXACT, ninety, ninety))
    head = "other designs for 90 %, where a feature is right 97.5 % of the time"
    assert f"{head} (the threshold of 2 of 3 tests)" in shown
    seventy = a_rule(kind=GateKind.EXACT)
    misses = a_rule(kind=GateKind.MISSES, misses=0)
    shown = lines(*with_gates(misses), usual=seventy)
    assert any(line.startswith("other designs for 70 %") for line in shown)


def test_a_design_in_use_is_not_proposed_again() -> None:
    shown = lines(*with_gates(ADAPTIVE))
    assert "    in use already: adaptive, 20 to 100 runs" in shown
    assert not any("try one" in line for line in shown)


def test_of_several_thresholds_the_one_of_the_table_is_told_and_kept() -> None:
    lower = replace(EXACT, threshold=Fraction(7, 10))
    shown = lines(*with_gates(EXACT, EXACT, lower), usual=lower)
    (head,) = [line for line in shown if line.startswith("other designs")]
    assert head.startswith("other designs for 80 %,")
    assert head.endswith(" (the threshold of 2 of 3 tests)")
    assert any("try one" in line and line.endswith(" --threshold 0.8") for line in shown)
    assert any("to keep it" in line and line.endswith(", threshold: 0.8") for line in shown)


def test_figures_of_any_length_stand_apart() -> None:
    rule = replace(ADAPTIVE, threshold=Fraction(7, 10))
    (row,) = [line for line in lines(*with_gates(rule)) if "the gate passes in" in line]
    assert row.split()[4:10] == ["100", "%", "99.9999", "%", "99", "%"]


def test_one_run_is_no_runs() -> None:
    rule = a_rule(kind=GateKind.RATE, runs=1, threshold=Fraction(1))
    assert lines(*with_gates(rule))[0].startswith("gate rate, 100 % in 1 run (1 test)")
