"""Gates that cannot be met or missed, suites of nothing, runs of errors, draws and intervals."""

import csv
import json
from typing import Any

import pytest

from ci_judge.rules.intervals import wilson
from tests.cases.collection import folder_of, required
from tests.cases.outcome import Outcome
from tests.cases.workbench import Open, Workbench

required()

# The design: a gate that not even a perfect score passes is refused (exit 2), not warned about.
IMPOSSIBLE = [({"runs": 3, "threshold": 0.9}, "35"), ({"runs": 20, "threshold": 1.0}, "threshold")]
NONSENSE = [
    ({"runs": 3, "threshold": 70}, "threshold"),
    ({"runs": 3, "threshold": -0.1}, "threshold"),
    ({"runs": 0, "threshold": 0.5}, "runs"),
    ({"runs": -1, "threshold": 0.5}, "runs"),
    ({"runs": 2.5, "threshold": 0.5}, "runs"),
]


@pytest.mark.parametrize(("gate", "word"), [*IMPOSSIBLE, *NONSENSE[::2]])
def test_h19_a_gate_that_means_nothing_is_refused_before_a_request(
    bench: Open, gate: dict[str, float], word: str
) -> None:
    case = bench("H19")
    with case.servers() as running:
        outcome = case.run(running, changes={"run": gate})
        assert running.asked("endpoint") == []
    assert outcome.exit_code == 2
    assert any(word in line for line in outcome.error_lines())


@pytest.mark.parametrize("gates", [IMPOSSIBLE, NONSENSE])
def test_h19_each_such_gate_of_a_scenario_is_refused_at_its_place(
    bench: Open, gates: list[tuple[dict[str, float], str]]
) -> None:
    case = bench("H19")
    scenarios = [
        {"name": f"Number {number}", "message": "How?", "expected": 'Says "14 days".', **gate}
        for number, (gate, _) in enumerate(gates)
    ]
    lines = [f"  - {json.dumps(scenario)}" for scenario in scenarios]
    case.write("scenarios.yaml", "\n".join(["criterion: refunds", "scenarios:", *lines, ""]))
    with case.servers() as running:
        outcome = case.run(running)
        assert running.asked("endpoint") == []
    assert outcome.exit_code == 2
    for number, (_, word) in enumerate(gates, start=3):
        here = [line for line in outcome.error_lines() if f"scenarios.yaml:{number}" in line]
        assert any(word in line for line in here), outcome.err


def test_h19_a_gate_that_cannot_fail_is_warned_about(bench: Open) -> None:
    case = bench("H19")
    outcome = case.play(changes={"run": {"runs": 1, "threshold": 0}})
    assert outcome.exit_code == 0
    warnings = " ".join(outcome.report["warnings"])
    assert "cannot fail" in warnings or "never fail" in warnings, warnings
    assert "threshold" in warnings


EMPTY = [
    ({"paths": ["no_such_folder"]}, "no_such_folder"),
    ({"paths": ["cases_none"], "pattern": "*_cases.py"}, "cases_none"),
    ({"paths": ["cases_nocase"], "pattern": "*_cases.py"}, "plain_cases.py"),
    ({"paths": ["scenarios_empty.yaml"]}, "scenarios_empty.yaml"),
]


@pytest.mark.parametrize(("suite", "named"), EMPTY)
def test_h20_a_suite_of_nothing_is_not_a_success(
    bench: Open, suite: dict[str, Any], named: str
) -> None:
    outcome = bench("H20").play(changes={"suite": suite})
    assert outcome.exit_code in {2, 5}
    assert named in outcome.printed
    if "pattern" in suite and "none" in named:
        assert "*_cases.py" in outcome.printed
    assert "passed" not in outcome.printed.lower()


def test_h20_a_selection_of_nothing_is_not_a_success(bench: Open) -> None:
    case = bench("H19")
    with case.servers() as running:
        outcome = case.run(running, "-k", "nobody")
    assert outcome.exit_code == 5
    assert "nobody" in outcome.printed


def test_h20_one_empty_suite_beside_a_good_one_is_found(bench: Open) -> None:
    # The case wants the good one reported as well. The design stops before the first request
    # where a file is wrong (exit 2, nothing was sent), and that wins.
    case = bench("H20")
    case.write("good.yaml", bench("H19").read("scenarios.yaml"))
    with case.servers() as running:
        outcome = case.run(
            running, changes={"suite": {"paths": ["good.yaml", "scenarios_empty.yaml"]}}
        )
        assert running.asked("endpoint") == []
    assert outcome.exit_code == 2
    assert "scenarios_empty.yaml" in outcome.printed


def nothing_but(outcome: Outcome, error: str) -> None:
    assert outcome.exit_code == 3
    assert outcome.outcomes == [error] * 3
    summary = outcome.report["summary"]
    assert (summary["runs_passed"], summary["runs_failed"], summary["passed"]) == (0, 0, 0)
    assert summary["failed"] == 0
    markdown = outcome.text("summary.md")
    assert "undecided" in markdown or "could not be decided" in markdown
    assert "failed its gate" not in markdown


def test_h21_a_401_is_never_judged(bench: Open) -> None:
    case = bench("H21")
    with case.servers() as running:
        outcome = case.run(running)
        assert running.asked("judge") == []
    nothing_but(outcome, "target_error")
    assert "401" in outcome.reasons[0]


def test_h21_a_closed_port_is_an_error(bench: Open) -> None:
    outcome = bench("H21").play(changes={"target": {"url": "http://127.0.0.1:9/chat"}})
    nothing_but(outcome, "target_error")


def test_h21_a_judge_that_refuses_everything_is_an_error(bench: Open) -> None:
    case = bench("H21")
    judge = {"replies": [{"status": 401, "json": {"error": {"message": "no such key"}}}]}
    case.change(judge=judge, endpoint_replies=[{"reply": "You have 14 days."}])
    nothing_but(case.play(), "judge_error")


def draws(outcome: Outcome) -> dict[tuple[str, int], tuple[float, bool]]:
    """Give each draw, and the verdict that it led to, by test and trial."""
    return {
        (run["test"].rpartition("::")[2], trial["repetition"]): (
            trial["rulings"][0]["draw"],
            trial["rulings"][0]["passed"],
        )
        for run in outcome.runs
        for trial in run["trials"]
    }


def test_h22_a_seed_means_the_same_whatever_the_order(bench: Open) -> None:
    case = bench("H22")

    def drawn(variant: str, **run: Any) -> dict[tuple[str, int], tuple[float, bool]]:
        with case.servers("--variant", variant) as running:
            return draws(case.run(running, changes={"run": run}))

    first = drawn("A")
    assert len(first) == 18
    assert len({draw for draw, _ in first.values()}) == 18
    assert drawn("B") == first
    assert drawn("C", concurrency=1) == first
    case.write("cases/z9_cases.py", case.read("extra/z9_cases.py"))
    with_another = drawn("A")
    assert {key: value for key, value in with_another.items() if key in first} == first
    assert len(with_another) == 21


def test_h22_without_a_seed_each_run_draws_anew_and_says_what(bench: Open) -> None:
    case = bench("H22")
    case.change(judge={"seed": None})
    with case.servers() as running:
        first, second = (case.run(running) for _ in range(2))
    assert draws(first).keys() == draws(second).keys()
    assert draws(first) != draws(second)
    assert first.report["run"]["seed"] != second.report["run"]["seed"]
    assert str(first.report["run"]["seed"]) in first.printed


def wilson_rows() -> list[dict[str, str]]:
    with (folder_of("H23") / "wilson.tsv").open() as file:
        return list(csv.DictReader(file, delimiter="\t"))


def test_h23_intervals_agree_with_the_table() -> None:
    for row in wilson_rows():
        ends = wilson(int(row["passes"]), int(row["runs"]))
        assert ends.low == pytest.approx(float(row["lower"]), abs=1e-4)
        assert ends.high == pytest.approx(float(row["upper"]), abs=1e-4)
        assert 0 <= ends.low < 1


@pytest.mark.parametrize(
    ("passes", "runs", "threshold", "exit_code"),
    [(10, 10, 0.7224, 0), (19, 20, 0.7638, 0), (19, 20, 0.7639, 1)],
)
def test_h23_the_bound_is_compared_before_it_is_rounded(
    bench: Open, passes: int, runs: int, threshold: float, exit_code: int
) -> None:
    outcome = passing(bench("H19"), passes, runs, threshold)
    assert outcome.exit_code == exit_code
    (test,) = outcome.tests
    assert (test["passes"], test["planned"]) == (passes, runs)
    shown = test["gate"]["sentence"]
    if exit_code:  # a rounded bound would say 76.39 % against 76.39 %
        assert "76.39 %" in shown
        assert "too few to prove it" in shown


def test_h23_a_bound_just_below_the_threshold_cannot_be_passed(bench: Open) -> None:
    # 10 of 10 have the bound 0.72247: the design refuses 0.7225 before anything is sent.
    outcome = passing(bench("H19"), 10, 10, 0.7225)
    assert outcome.exit_code == 2
    assert "0.7225" in outcome.err
    assert "11" in outcome.err


def passing(case: Workbench, passes: int, runs: int, threshold: float) -> Outcome:
    """Let the first ``passes`` of the runs pass."""
    good, bad = {"reply": "You have 14 days."}, {"reply": "No idea."}
    case.change(endpoint_replies=[good] * passes + [bad] * (runs - passes))
    return case.play(changes={"run": {"runs": runs, "threshold": threshold, "concurrency": 1}})
