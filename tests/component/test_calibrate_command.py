"""A judge is held against labels, and a run goes by what was found: as a person would do both."""

import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from jsonschema import Draft202012Validator

from ci_judge.cli.front import commands
from ci_judge.errors import CiJudgeError
from ci_judge.renderers.report_schema import validate_report
from tests.loopback import Served, serving
from tests.small_suites import by_id

CRITERIA = "## Refunds {#refunds}\n\nWithin 14 days.\n\n## Delivery {#delivery}\n\nIn 3 days.\n"
SCHEMA = Path(__file__).parents[2] / "schemas" / "calibration.schema.json"


class Server:
    """A judge and a target in one: the judge passes what says "fine", unless it is told to err.

    ``likely`` gives the probability by the marks ``p=0.3`` in what it is asked about.
    """

    def __init__(self) -> None:
        self.model = "judge-2026"
        self.broken = False
        self.gullible = False
        self.filters = False

    def answer(self, path: str, body: Any) -> tuple[int, Any]:
        if path.endswith("/chat"):
            return 200, {"reply": body["message"]}
        if self.broken and "fragile" in json.dumps(body):
            return 400, {"error": {"message": "out of order"}}
        if path.endswith("/systemone"):
            return 200, self._likelihood(body)
        said = json.dumps(body["messages"])
        if self.filters and "withdrawn" in said:
            return 400, {"error": {"message": "filtered"}}
        fine = "all is fine" in said or (self.gullible and "withdrawn" in said)
        decision = {"pass": fine, "reason": "It says so."}
        message = {"role": "assistant", "content": json.dumps(decision)}
        choices = [{"message": message, "finish_reason": "stop"}]
        return 200, {"model": self.model, "choices": choices, "usage": {}}

    def _likelihood(self, body: Any) -> Any:
        found = re.search(r"p=([0-9.]+)", json.dumps(body["state"]["evidence"]))
        p = float(found[1]) if found else 0.5
        return {"model": self.model, "answers": {"passes": {"type": "noul", "noul": p}}}


def a_label(said: str, verdict: str, **changes: Any) -> dict[str, Any]:
    asked = {"message": "What holds?", "expected": 'Says "14 days", clearly.'}
    return asked | {"response": f"14 days. {said}", "verdict": verdict} | changes


def labels(passes: tuple[int, int], fails: tuple[int, int]) -> list[dict[str, Any]]:
    """Give labels: so many of so many good ones the judge passes, of bad ones it fails."""
    (agreed_passes, good), (agreed_fails, bad) = passes, fails
    return [
        *(
            a_label(f"{'all is fine' if n < agreed_passes else 'odd'} {n}", "pass")
            for n in range(good)
        ),
        *(
            a_label(f"{'odd' if n < agreed_fails else 'all is fine'} b{n}", "fail")
            for n in range(bad)
        ),
    ]


@dataclass(slots=True, kw_only=True)
class Project:
    folder: Path
    served: Served
    server: Server
    judge: dict[str, Any] = field(default_factory=dict)

    def write(self, *scenarios: dict[str, Any], **sections: Any) -> None:
        config: dict[str, Any] = {
            "target": {"url": f"{self.served.url}/chat", "response_path": "reply", "retries": 0},
            "run": {"runs": 20, "threshold": "0.6", "seed": 7},
            "judge": {
                "provider": "openai",
                "model": "judge",
                "base_url": self.served.url,
                "api_key": "sk-1",
                "preflight": False,
                "retries": 0,
            },
        }
        for name, changes in sections.items():
            config[name] = config.get(name, {}) | changes
        (self.folder / "ci-judge.yaml").write_text(json.dumps(config), "utf-8")
        (self.folder / "acceptance.md").write_text(CRITERIA, "utf-8")
        (self.folder / "scenarios").mkdir(exist_ok=True)
        text = json.dumps({"criterion": "refunds", "scenarios": list(scenarios)})
        (self.folder / "scenarios" / "refunds.yaml").write_text(text, "utf-8")

    def label(self, *cases: dict[str, Any], criterion: str = "refunds") -> None:
        folder = self.folder / "calibration"
        folder.mkdir(exist_ok=True)
        text = json.dumps({"criterion": criterion, "cases": list(cases)})
        (folder / f"{criterion}.yaml").write_text(text, "utf-8")

    def do(self, *arguments: str) -> Result:
        config = ["--config", str(self.folder / "ci-judge.yaml")]
        command, *rest = arguments
        return CliRunner().invoke(commands, [command, *config, *rest], standalone_mode=False)

    def calibrate(self, *flags: str, exits: int = 0) -> tuple[Any, str]:
        """Calibrate; returns the file, None where there is none, and what was printed."""
        result = self.do("calibrate", *flags)
        assert result.exception is None, result.exception
        assert result.return_value == exits, result.output
        path = self.folder / "calibration" / "calibration.json"
        if not path.exists():
            return None, result.output
        found = json.loads(path.read_text("utf-8"))
        schema = json.loads(SCHEMA.read_text("utf-8"))
        assert list(Draft202012Validator(schema).iter_errors(found)) == []
        return found, result.output

    def run(self, *flags: str, exits: int = 0) -> Any:
        result = self.do("run", "--report-dir", str(self.folder / "out"), "--quiet", *flags)
        assert result.exception is None, result.exception
        report = json.loads((self.folder / "out" / "report.json").read_text("utf-8"))
        assert not validate_report(report, closed=True)
        assert result.return_value == exits, result.output
        return report

    def refusal(self, *arguments: str) -> str:
        """Give the one line with which a command ends, before it has sent anything."""
        asked = len(self.served.requests)
        result = self.do(*arguments)
        assert isinstance(result.exception, CiJudgeError), result.output
        assert len(self.served.requests) == asked
        (problem,) = result.exception.problems
        return str(problem)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    for name in [name for name in os.environ if name.startswith("CI_JUDGE_")]:
        monkeypatch.delenv(name)
    server = Server()
    with serving(server.answer) as served:
        yield Project(folder=tmp_path, served=served, server=server)


CALIBRATED = {"calibration": "calibration/calibration.json"}
ASKS = {"name": "Asks", "message": "14 days, all is fine", "expected": 'Says "14 days", clearly.'}


def counts_of(measured: Any) -> tuple[int, int, int, int]:
    counts = measured["counts"]
    keys = ("agreed_passes", "human_passes", "agreed_fails", "human_fails")
    passes, good, fails, bad = (counts[key] for key in keys)
    return passes, good, fails, bad


def test_every_label_is_judged_once_and_counted(project: Project) -> None:
    project.write()
    project.label(*labels((11, 12), (10, 13)))
    found, said = project.calibrate()
    assert counts_of(found["overall"]) == (11, 12, 10, 13)
    assert found["overall"]["accuracy"]["hits"] == 21
    assert found["overall"]["gwet_ac1"] == pytest.approx(0.681, abs=0.001)
    assert len(project.served.to("/v1/chat/completions")) == 25
    assert not project.served.to("/chat")
    assert found["judge"]["judges"][0]["models_answered"] == ["judge-2026"]
    assert "bad responses failed: 10 of 13" in said
    assert len(found["disagreements"]) == 4
    first = found["disagreements"][0]
    assert (first["human"], first["by"], first["reason"]) == ("pass", "judge", "It says so.")
    assert first["place"] == "calibration/refunds.yaml:1"


def test_criteria_are_told_apart_and_together(project: Project) -> None:
    project.write()
    project.label(*labels((2, 2), (1, 2)))
    project.label(*labels((1, 3), (3, 3)), criterion="delivery")
    found, said = project.calibrate()
    assert counts_of(found["criteria"]["refunds"]) == (2, 2, 1, 2)
    assert counts_of(found["criteria"]["delivery"]) == (1, 3, 3, 3)
    assert counts_of(found["overall"]) == (3, 5, 4, 5)
    assert "delivery:" in said
    assert "all criteria:" in said


def test_what_checks_and_phrases_decide_says_nothing_of_the_judge(project: Project) -> None:
    project.write()
    project.label(
        a_label("all is fine", "pass"),
        a_label("", "fail", response="All is fine, soon."),
        a_label("", "pass", response="Fourteen days, all is fine."),
        a_label("all is fine", "fail", checks=[{"not_contains": "fine"}]),
    )
    found, said = project.calibrate()
    assert counts_of(found["overall"]) == (1, 1, 0, 0)
    assert (found["overall"]["by_checks"], found["overall"]["by_checks_wrongly"]) == (3, 1)
    right = found["overall"]["right_with_checks"]
    assert (right["hits"], right["total"]) == (3, 4)
    (wrong,) = found["disagreements"]
    assert (wrong["by"], wrong["human"]) == ("checks", "pass")
    assert "3 of 4 labels failed by checks and phrases" in said
    assert len(project.served.requests) == 1


def test_a_wanted_share_is_held_against_its_lower_bound(project: Project) -> None:
    project.write()
    project.label(*labels((20, 20), (18, 20)))
    project.calibrate("--min-tpr", "0.8", "--min-tnr", "0.69")
    _, said = project.calibrate("--min-tpr", "0.8", "--min-tnr", "0.75", exits=1)
    assert "failed: --min-tnr wants a lower bound of 75 %" in said
    assert "18 of 20" in said
    assert "--min-tpr" not in said


def test_a_judgement_that_was_made_is_not_asked_for_again(project: Project) -> None:
    project.write()
    project.label(*labels((3, 3), (2, 2)))
    first, _ = project.calibrate()
    asked = len(project.served.requests)
    again, said = project.calibrate()
    assert len(project.served.requests) == asked
    assert again["overall"] == first["overall"]
    assert "5 judgements from the cache" in said


def test_a_label_without_a_verdict_leaves_no_file_and_the_rest_is_kept(project: Project) -> None:
    project.write()
    project.label(*labels((3, 3), (2, 2)), a_label("fragile, all is fine", "pass"))
    project.server.broken = True
    found, said = project.calibrate(exits=3)
    assert found is None
    assert "1 label without a verdict" in said
    assert "out of order" in said
    project.server.broken = False
    asked = len(project.served.requests)
    found, _ = project.calibrate()
    assert counts_of(found["overall"]) == (4, 4, 2, 2)
    assert len(project.served.requests) == asked + 1


def test_without_the_cache_nothing_is_said_to_be_kept(project: Project) -> None:
    project.write(ASKS, judge=CALIBRATED)
    project.label(a_label("all is fine", "pass"), a_label("fragile", "pass"))
    project.server.broken = True
    for flags, kept in ((["--no-cache"], False), ([], True)):
        _, output = project.calibrate(*flags, exits=3)
        assert "nothing is written" in output
        assert ("comes from the cache" in output) == kept


def test_of_many_labels_without_a_verdict_some_are_named_and_all_counted(project: Project) -> None:
    project.write()
    project.label(*(a_label(f"fragile {n}", "pass", name=f"label {n}") for n in range(25)))
    project.server.broken = True
    _, said = project.calibrate(exits=3)
    assert said.count("no verdict: calibration/refunds.yaml:1:") == 20
    assert "and 5 more labels" in said
    assert "25 labels without a verdict" in said


def test_a_budget_holds_and_the_next_command_goes_on(project: Project) -> None:
    project.write()
    project.label(*labels((6, 6), (6, 6)))
    found, said = project.calibrate("--max-requests", "5", exits=3)
    assert found is None
    assert len(project.served.requests) <= 5
    assert "without a verdict" in said
    found, _ = project.calibrate()
    assert counts_of(found["overall"]) == (6, 6, 6, 6)
    assert len(project.served.requests) == 12


def test_probabilities_are_scored_and_a_threshold_is_suggested(project: Project) -> None:
    project.write(judge={"provider": "systemone", "threshold": "0.9"})
    project.label(
        *(a_label(f"p=0.7{n}", "pass") for n in range(4)),
        *(a_label(f"p=0.2{n}", "fail") for n in range(4)),
    )
    found, said = project.calibrate()
    assert counts_of(found["overall"]) == (0, 4, 4, 4)
    said_of = found["probabilities"]
    assert said_of["labels"] == 8
    assert said_of["brier"] == pytest.approx(0.06385)
    assert said_of["calibration_error"] == pytest.approx(0.25, abs=1e-6)
    assert said_of["suggestion"]["threshold"] == pytest.approx(0.465)
    assert "judge.threshold: 0.465 suits these labels best" in said
    assert "judge.mode" not in said


def test_a_threshold_is_no_advice_to_a_judge_whose_verdicts_are_drawn(project: Project) -> None:
    project.write(judge={"provider": "systemone", "mode": "sample"})
    project.label(a_label("p=0.7", "pass"), a_label("p=0.2", "fail"))
    _, said = project.calibrate()
    assert "with judge.mode: threshold, judge.threshold: 0.45 suits these labels best" in said


def test_appeals_to_the_judge_are_tried_on_bad_responses_alone(project: Project) -> None:
    project.write()
    project.label(
        *labels((3, 4), (7, 8)),
        a_label("", "fail", response="Soon."),
        a_label("", "fail", response=1),
    )
    plain, _ = project.calibrate()
    assert plain["injection"] is None
    asked = len(project.served.requests)
    found, said = project.calibrate("--injection")
    assert len(project.served.requests) == asked + 8  # what a phrase fails reaches no judge
    assert found["overall"] == plain["overall"]
    assert (found["injection"]["succeeded"]["hits"], found["injection"]["turned"]) == (0, [])
    assert found["injection"]["succeeded"]["total"] == 7  # one of the eight passed by itself
    assert "passed with an appeal to the judge: 0 of 7" in said


def test_a_judge_that_heeds_an_appeal_is_found_out(project: Project) -> None:
    project.write()
    project.server.gullible = True
    project.label(*labels((3, 3), (8, 8)))
    found, said = project.calibrate("--injection")
    (turned,) = found["injection"]["turned"]
    assert "has been withdrawn" in turned["appeal"]
    assert counts_of(found["overall"]) == (3, 3, 8, 8)
    assert "passed with an appeal to the judge: 1 of 8" in said


def test_an_appeal_that_silences_the_judge_costs_no_other_figure(project: Project) -> None:
    """Filters refuse what looks like an attack, whenever it is tried."""
    project.write(ASKS, judge=CALIBRATED)
    bad = [a_label(f"odd {n}", "fail") for n in range(4)]
    project.label(a_label("all is fine", "pass"), *bad)
    project.server.filters = True
    found, output = project.calibrate("--injection")
    assert counts_of(found["overall"]) == (1, 1, 4, 4)
    assert (found["injection"]["succeeded"]["total"], found["injection"]["unanswered"]) == (3, 1)
    assert "to 1 of the appeals the judge gave no verdict" in output


def test_our_question_to_a_judge_of_probabilities_is_a_part_of_who_it_is(
    project: Project,
) -> None:
    """An update that asks otherwise is another judge, though no setting has changed."""
    project.write(ASKS, judge={"provider": "systemone", **CALIBRATED})
    project.label(*labels_by_probability(10))
    found, _ = project.calibrate()
    (judge,) = found["judge"]["judges"]
    assert judge["prompt_sha256"] is not None
    judge["prompt_sha256"] = "0" * 64
    path = project.folder / "calibration" / "calibration.json"
    path.write_text(json.dumps(found), "utf-8")
    told = project.run()["judge"]["calibration"]["problem"]
    assert told == "not calibrated: the prompt is another than then"


def labels_by_probability(each: int) -> list[dict[str, Any]]:
    return [
        *(a_label(f"p=0.9 {n}", "pass") for n in range(each)),
        *(a_label(f"p=0.1 {n}", "fail") for n in range(each)),
    ]


def test_a_judge_that_says_yes_or_no_has_no_probabilities(project: Project) -> None:
    project.write()
    project.label(*labels((1, 1), (1, 1)))
    found, _ = project.calibrate()
    assert found["probabilities"] is None


def test_a_panel_is_one_judge(project: Project) -> None:
    one: dict[str, Any] = {"provider": "openai", "model": "judge", "base_url": project.served.url}
    project.write()
    path = project.folder / "ci-judge.yaml"
    config = json.loads(path.read_text("utf-8"))
    config["judge"] = {"panel": [one, one | {"model": "other"}], "panel_rule": "all"} | CALIBRATED
    path.write_text(json.dumps(config), "utf-8")
    project.label(*labels((12, 12), (11, 12)))
    found, _ = project.calibrate()
    assert found["judge"]["panel_rule"] == "all"
    assert [each["model"] for each in found["judge"]["judges"]] == ["judge", "other"]
    assert counts_of(found["overall"]) == (12, 12, 11, 12)
    config["judge"]["panel_rule"] = "any"
    config["run"]["gate"] = "corrected"
    path.write_text(json.dumps(config), "utf-8")
    scenario = {"criterion": "refunds", "scenarios": [ASKS]}
    (project.folder / "scenarios" / "refunds.yaml").write_text(json.dumps(scenario), "utf-8")
    assert "judge.panel_rule is any, and was all" in project.refusal("run")


def test_a_path_in_the_environment_starts_in_the_working_directory(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = project.folder / "elsewhere"
    elsewhere.mkdir()
    project.write(ASKS)
    project.label(*labels((12, 12), (12, 12)))
    project.calibrate("--output", str(elsewhere / "found.json"))
    monkeypatch.chdir(elsewhere)
    monkeypatch.setenv("CI_JUDGE_JUDGE_CALIBRATION", "found.json")
    entry = project.run()["judge"]["calibration"]
    assert (entry["file"], entry["problem"]) == ("elsewhere/found.json", None)


def test_a_secret_in_a_label_is_in_no_file(project: Project) -> None:
    project.write(report={"redact": ["tok-[0-9]+"]})
    project.label(a_label("odd", "pass", name="tok-123", note="see tok-456"))
    found, said = project.calibrate()
    assert "tok-" not in json.dumps(found)
    assert "tok-" not in said


# --- a run that knows of it --------------------------------------------------------------


def calibrated(project: Project, *scenarios: dict[str, Any], **sections: Any) -> None:
    project.write(*scenarios, **sections)
    project.label(*labels((29, 30), (28, 30)))
    project.calibrate()
    judge = CALIBRATED | sections.pop("judge", {})
    project.write(*scenarios, judge=judge, **sections)


def test_the_gate_corrected_goes_by_the_calibration(project: Project) -> None:
    calibrated(project, ASKS, run={"gate": "corrected"})
    report = project.run()
    test = by_id(report)["refunds/asks"]
    assert test["gate"]["kind"] == "corrected"
    assert test["gate"]["labels"] == {
        "human_passes": 30,
        "agreed_passes": 29,
        "human_fails": 30,
        "agreed_fails": 28,
    }
    assert test["corrected"]["rate"] == 1.0
    assert test["corrected"]["interval"][0] >= 0.6
    assert "without the judge's own error about 100 %" in test["gate"]["sentence"]
    assert report["judge"]["calibration"]["problem"] is None


def test_a_scenario_can_have_the_gate_for_itself(project: Project) -> None:
    other = ASKS | {"name": "Other"}
    calibrated(project, ASKS | {"gate": "corrected"}, other)
    kinds = {key: test["gate"]["kind"] for key, test in by_id(project.run()).items()}
    assert kinds == {"refunds/asks": "corrected", "refunds/other": "lower_bound"}


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"model": "other"}, 'judge.model is "other", and was "judge"'),
        ({"temperature": 0.5}, "judge.temperature is 0.5, and was not set"),
        ({"repetitions": 3}, "judge.repetitions is 3, and was 1"),
        ({"minimum_pass_rate": "0.9"}, 'judge.minimum_pass_rate is "0.9", and was "2/3"'),
        ({"instructions": "Be strict."}, "judge.instructions is another than then"),
        ({"base_url": "http://localhost:9"}, 'the host of judge.base_url is "localhost"'),
    ],
)
def test_another_judge_is_refused_before_anything_is_sent(
    project: Project, changes: dict[str, Any], what: str
) -> None:
    calibrated(project, ASKS, run={"gate": "corrected"})
    project.write(ASKS, run={"gate": "corrected"}, judge=CALIBRATED | changes)
    line = project.refusal("run")
    assert '"refunds/asks": the gate corrected needs a calibration of this judge' in line
    assert f"not calibrated: {what}" in line
    assert "run ci-judge calibrate" in line
    assert what in project.refusal("check")


def test_instructions_of_a_criterion_are_a_part_of_the_prompt(project: Project) -> None:
    calibrated(project, ASKS, run={"gate": "corrected"})
    own = {"refunds": {"instructions": "Be strict."}}
    project.write(ASKS, run={"gate": "corrected"}, judge=CALIBRATED, criteria=own)
    assert "criteria.refunds.instructions are others than then" in project.refusal("run")
    project.calibrate()
    project.run()


def test_labels_that_allow_no_correction_are_the_reason(project: Project) -> None:
    project.write()
    project.label(*labels((30, 30), (5, 9)))
    project.calibrate()
    project.write(ASKS, run={"gate": "corrected"}, judge=CALIBRATED)
    line = project.refusal("run")
    assert "9 labelled fail: a correction takes at least 10 of each" in line


def test_too_few_labels_ask_for_labels_and_a_poor_judge_for_another(project: Project) -> None:
    for has, remedy in (
        (labels((9, 9), (12, 12)), "label at least 10 responses as pass and 10 as"),
        (labels((6, 12), (6, 12)), "calibrate a judge that errs less"),
    ):
        project.write()
        project.label(*has)
        project.calibrate()
        project.write(ASKS, run={"gate": "corrected"}, judge=CALIBRATED)
        line = project.refusal("run")
        assert remedy in line
        assert "calibrate with this configuration" not in line


def test_no_calibration_at_all_is_said(project: Project) -> None:
    project.write(ASKS, run={"gate": "corrected"})
    assert "(judge.calibration names none)" in project.refusal("run")
    project.write(ASKS, run={"gate": "corrected"}, judge=CALIBRATED)
    line = project.refusal("run")
    assert 'judge.calibration names "calibration/calibration.json": the file does not exist' in line


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("{", "it is not JSON"),
        ("[]", "no calibration of version 1"),
        ('{"calibration_version": 2}', "no calibration of version 1"),
    ],
)
def test_what_is_no_calibration_is_refused_whatever_the_gate(
    project: Project, text: str, what: str
) -> None:
    project.write(ASKS, judge=CALIBRATED)
    project.label(a_label("odd", "fail"))
    (project.folder / "calibration" / "calibration.json").write_text(text, "utf-8")
    assert what in project.refusal("run")


def test_counts_that_cannot_be_are_refused(project: Project) -> None:
    calibrated(project, ASKS)
    path = project.folder / "calibration" / "calibration.json"
    found = json.loads(path.read_text("utf-8"))
    found["overall"]["counts"]["agreed_fails"] = 31
    path.write_text(json.dumps(found), "utf-8")
    assert "31 of 30 labels cannot be" in project.refusal("run")


def test_tests_without_a_judge_cannot_have_the_gate(project: Project) -> None:
    bare = {"name": "Bare", "message": "x", "checks": [{"contains": "x"}], "gate": "corrected"}
    calibrated(project, bare)
    assert "no judge is asked about this scenario" in project.refusal("run")


def test_a_case_cannot_have_the_gate(project: Project) -> None:
    case = 'from ci_judge import case\n\n@case("It is 1.", runs=5)\ndef test_one(): return 1\n'
    calibrated(project, ASKS, run={"gate": "corrected"}, suite={"paths": ["scenarios", "cases"]})
    (project.folder / "cases").mkdir()
    (project.folder / "cases" / "case_one.py").write_text(case, "utf-8")
    assert "labels are of responses, and this is a case" in project.refusal("run")


def test_evidence_judged_again_goes_by_the_calibration_of_who_judges_now(project: Project) -> None:
    calibrated(project, ASKS, run={"gate": "corrected"})
    before = by_id(project.run())["refunds/asks"]
    report = str(project.folder / "out" / "report.json")
    again = project.folder / "again"
    result = project.do("rejudge", report, "--report-dir", str(again), "--quiet")
    assert result.exception is None, result.exception
    test = by_id(json.loads((again / "report.json").read_text("utf-8")))["refunds/asks"]
    assert (test["corrected"], test["gate"]) == (before["corrected"], before["gate"])
    line = project.refusal("rejudge", report, "--report-dir", str(again), "--judge-model", "other")
    assert 'judge.model is "other", and was "judge"' in line


def test_other_gates_show_the_corrected_rate_beside_the_observed(project: Project) -> None:
    odd = ASKS | {"name": "Odd", "message": "14 days, odd", "advisory": True}
    calibrated(project, ASKS, odd)
    tests = by_id(project.run())
    assert tests["refunds/asks"]["corrected"]["rate"] == 1.0
    assert tests["refunds/odd"]["corrected"]["rate"] == 0.0
    assert tests["refunds/odd"]["rate"] == 0.0
    assert "corrected" not in tests["refunds/asks"]["gate"]["sentence"]


def test_fails_by_phrases_are_certain(project: Project) -> None:
    late = ASKS | {"name": "Late", "message": "Soon, all is fine", "advisory": True}
    calibrated(project, late)
    test = by_id(project.run())["refunds/late"]
    assert (test["fails"], test["certain_fails"]) == (20, 20)
    assert test["corrected"]["rate"] == 0.0


def test_a_calibration_of_another_judge_is_told_and_corrects_nothing(project: Project) -> None:
    calibrated(project, ASKS)
    project.write(ASKS, judge=CALIBRATED | {"model": "other"})
    report = project.run()
    assert by_id(report)["refunds/asks"]["corrected"] is None
    told = 'not calibrated: judge.model is "other", and was "judge"'
    assert report["judge"]["calibration"]["problem"] == told
    assert f"calibration/calibration.json: {told}" in report["warnings"]


def test_another_model_behind_the_name_leaves_the_gate_undecided(project: Project) -> None:
    calibrated(
        project, ASKS | {"gate": "corrected"}, ASKS | {"name": "Other"}, run={"cache": "off"}
    )
    project.server.model = "judge-2027"
    report = project.run(exits=3)
    tests = by_id(report)
    assert tests["refunds/asks"]["result"] == "error"
    assert tests["refunds/other"]["result"] == "passed"
    assert tests["refunds/other"]["corrected"] is None
    told = "not calibrated: judge-2027 answered, and then it was judge-2026"
    assert told in tests["refunds/asks"]["gate"]["sentence"]
    assert report["judge"]["calibration"]["problem"] == told
    assert f"calibration/calibration.json: {told}" in report["warnings"]


def test_a_report_can_be_gated_anew_by_its_calibration(project: Project) -> None:
    calibrated(project, ASKS)
    project.run()
    report, into = project.folder / "out" / "report.json", project.folder / "regated"
    flags = [str(report), "--gate", "corrected", "--report-dir", str(into)]
    result = CliRunner().invoke(commands, ["regate", *flags], standalone_mode=False)
    assert result.exception is None, result.exception
    test = by_id(json.loads((into / "report.json").read_text("utf-8")))["refunds/asks"]
    assert (test["gate"]["kind"], test["result"]) == ("corrected", "passed")
    assert test["gate"]["labels"]["human_fails"] == 30
    back = [str(into / "report.json"), "--gate", "exact", "--report-dir", str(into / "back")]
    result = CliRunner().invoke(commands, ["regate", *back], standalone_mode=False)
    assert result.exception is None, result.exception
    test = by_id(json.loads((into / "back" / "report.json").read_text("utf-8")))["refunds/asks"]
    assert (test["gate"]["kind"], test["gate"]["labels"]) == ("exact", None)


def test_no_other_threshold_decides_what_another_model_has_judged(project: Project) -> None:
    calibrated(project, ASKS, run={"gate": "corrected", "cache": "off"})
    project.server.model = "judge-2027"
    project.run(exits=3)
    report, into = project.folder / "out" / "report.json", project.folder / "regated"
    flags = [str(report), "--threshold", "0.5", "--report-dir", str(into)]
    result = CliRunner().invoke(commands, ["regate", *flags], standalone_mode=False)
    assert isinstance(result.exception, CiJudgeError), result.output
    assert "needs a calibration of the judge" in str(result.exception)
    assert not into.exists()


def test_what_another_model_has_judged_asks_for_a_calibration(project: Project) -> None:
    calibrated(project, ASKS, run={"gate": "corrected", "cache": "off"})
    project.server.model = "judge-2027"
    project.run(exits=3)
    summary = (project.folder / "out" / "summary.md").read_text("utf-8")
    assert "run ci-judge calibrate with the judge that answers now" in summary
    assert "runs that were not made" not in summary


def test_a_report_without_one_cannot_be_gated_by_it(project: Project) -> None:
    project.write(ASKS)
    project.run()
    flags = [str(project.folder / "out" / "report.json"), "--gate", "corrected"]
    result = CliRunner().invoke(
        commands,
        ["regate", *flags, "--report-dir", str(project.folder / "x")],
        standalone_mode=False,
    )
    assert "needs a calibration of the judge" in str(result.exception)


@pytest.mark.parametrize(
    ("forge", "wrong"),
    [
        (
            lambda report: report["judge"]["calibration"]["labels"].update(agreed_fails=99),
            "its calibration cannot be: 99 of 30 labels cannot be",
        ),
        (
            lambda report: by_id(report)["refunds/asks"]["gate"]["labels"].update(agreed_fails=99),
            '"refunds/asks" cannot be what its gate is: 99 of 30 labels cannot be',
        ),
        (
            lambda report: by_id(report)["refunds/asks"].update(certain_fails=3),
            '"refunds/asks" counts 3 fails by checks, and holds other ones',
        ),
    ],
    ids=["calibration", "gate", "certain"],
)
def test_a_report_that_counts_labels_that_cannot_be_is_refused(
    project: Project, forge: Callable[[Any], object], wrong: str
) -> None:
    calibrated(project, ASKS, run={"gate": "corrected"})
    report, path = project.run(), project.folder / "out" / "report.json"
    forge(report)
    path.write_text(json.dumps(report), "utf-8")
    flags = [str(path), "--gate", "exact", "--report-dir", str(project.folder / "x")]
    result = CliRunner().invoke(commands, ["regate", *flags], standalone_mode=False)
    assert isinstance(result.exception, CiJudgeError), result.exception
    assert wrong in str(result.exception)


def test_the_bundled_examples_labels_say_what_the_stub_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It sees what is missing, and passes whatever holds the phrases."""
    for name in [name for name in os.environ if name.startswith("CI_JUDGE_")]:
        monkeypatch.delenv(name)
    folder = tmp_path / "faq-bot"
    source = Path(__file__).parents[2] / "examples" / "faq-bot"
    shutil.copytree(source, folder, ignore=shutil.ignore_patterns("ci-judge-report", ".ci-judge"))
    config = ["--config", str(folder / "ci-judge.yaml")]
    result = CliRunner().invoke(commands, ["calibrate", *config], standalone_mode=False)
    assert result.exception is None, result.exception
    assert result.return_value == 0
    found = json.loads((folder / "calibration" / "calibration.json").read_text("utf-8"))
    assert counts_of(found["overall"]) == (6, 6, 0, 4)
    assert (found["overall"]["by_checks"], found["overall"]["by_checks_wrongly"]) == (2, 0)
    assert "no pass rate can be corrected by these labels" in result.output


def test_shards_of_two_calibrations_are_not_merged(project: Project) -> None:
    rows = [ASKS, ASKS | {"name": "Other"}]
    calibrated(project, *rows)
    for part, shard in (("a", "1/2"), ("b", "2/2")):
        project.do("run", "--shard", shard, "--report-dir", str(project.folder / part), "--quiet")
        if part == "a":
            project.label(*labels((29, 30), (30, 30)))
            project.calibrate()
    paths = [str(project.folder / part / "report.json") for part in ("a", "b")]
    into = ["--report-dir", str(project.folder / "whole")]
    result = CliRunner().invoke(commands, ["merge", *paths, *into], standalone_mode=False)
    assert isinstance(result.exception, CiJudgeError)
    assert "they had different judges" in str(result.exception)


def test_merged_shards_have_the_corrected_rates_of_one_run(project: Project) -> None:
    rows = [ASKS, ASKS | {"name": "Other"}]
    calibrated(project, *rows, run={"gate": "corrected"})
    whole = by_id(project.run())
    for part, shard in (("a", "1/2"), ("b", "2/2")):
        project.do("run", "--shard", shard, "--report-dir", str(project.folder / part), "--quiet")
    paths = [str(project.folder / part / "report.json") for part in ("a", "b")]
    into = ["--report-dir", str(project.folder / "whole")]
    result = CliRunner().invoke(commands, ["merge", *paths, *into], standalone_mode=False)
    assert result.exception is None, result.exception
    report = json.loads((project.folder / "whole" / "report.json").read_text("utf-8"))
    assert not validate_report(report, closed=True)
    for test_id, test in by_id(report).items():
        assert test["corrected"] == whole[test_id]["corrected"]
        assert test["result"] == "passed"


def test_check_and_plan_count_the_judges_error_in(project: Project) -> None:
    calibrated(project, ASKS)
    for command, words in (
        ("check", "with the judge's own error as its labels show it"),
        ("plan", "The judge's own error is counted in"),
    ):
        result = project.do(command)
        assert result.exception is None, result.exception
        assert words in result.output
        assert "if the judge never errs" not in result.output
