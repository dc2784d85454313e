"""A further attempt at the same commit goes on from the earlier one: no verdict is drawn again."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from ci_judge.cli.front import commands
from ci_judge.errors import CannotStart, InvalidInput
from ci_judge.renderers.report_schema import validate_report
from ci_judge.workflows.earlier_attempts import NoEarlierAttempt, earlier_report
from tests.projects import Project, a_project, scenario
from tests.small_suites import by_id

ADAPTIVE = {
    "gate": "adaptive",
    "runs": {"min": 5, "max": 12},
    "threshold": "0.5",
    "confidence": 0.8,
}
"""Passed by 4 of 4, 8 with one miss, 11 with two, 14 with three and 20 with five."""
NO_SERVER = {"command": "false", "ready_url": "http://127.0.0.1:9/", "timeout": "1s"}


class MoodyBot:
    """Answers by the message while it is up; ``turned`` makes wrong answers right."""

    def __init__(self) -> None:
        self.down: frozenset[str] = frozenset()
        self.turned = False

    def answer(self, path: str, body: Any) -> tuple[int, Any]:
        del path
        message = body["message"]
        if message in self.down:
            return 400, {"error": "no"}
        return 200, {"reply": "14 days" if self.turned or "right" in message else "no idea"}


@pytest.fixture
def bot() -> MoodyBot:
    return MoodyBot()


@pytest.fixture
def project(tmp_path: Path, bot: MoodyBot) -> Iterator[Project]:
    with a_project(tmp_path, bot.answer) as made:
        write(made)
        yield made


def write(project: Project, *more: Any, target: Any = None, **run: Any) -> None:
    tests = (scenario("Asks", "right"), scenario("Asks wrong", "wrong"), *more)
    project.write(
        *tests, target=target or {}, run={"runs": 6, "seed": None, "concurrency": 1} | run
    )


def again(project: Project, *, attempt: int | None = None, **options: Any) -> Any:
    """Make the next attempt; gives its report and clears what the bot was asked before."""
    kept = project.folder / "earlier.json"
    kept.write_bytes((project.folder / "out/report.json").read_bytes())
    project.bot.requests.clear()
    look = earlier_report(kept, commit=None, attempt=attempt)
    project.run(look_for_earlier=look, **options)
    return project.report()


def asked(project: Project) -> list[str]:
    return sorted(request.body["message"] for request in project.bot.requests)


def changed(project: Project, change: Callable[[Any], None]) -> None:
    path = project.folder / "out/report.json"
    document = json.loads(path.read_text("utf-8"))
    change(document)
    path.write_text(json.dumps(document), "utf-8")


def test_what_is_decided_stays_decided_and_nobody_is_asked(project: Project, bot: MoodyBot) -> None:
    project.run()
    first = project.report()
    bot.turned = True  # a run that was drawn again would pass
    report = again(project)
    assert asked(project) == []
    assert report["status"] == "failed"
    runs = [test["runs"] for test in by_id(first).values()]
    assert [test["runs"] for test in by_id(report).values()] == runs
    assert report["run"]["rerun"]["sentence"] == (
        "All 12 runs were kept from attempt 1 and none was made now: a verdict is not drawn again."
    )


def test_where_nobody_is_asked_nobody_has_to_be_there(project: Project) -> None:
    """How a target is started is no part of what it is."""
    project.run()
    write(project, target={"serve": NO_SERVER})
    assert again(project)["summary"]["runs_made"] == 12


def test_the_report_counts_what_all_its_runs_took(project: Project) -> None:
    project.run()
    summary = again(project)["summary"]
    assert (summary["target_requests"], len(asked(project))) == (12, 0)


def test_only_error_runs_are_sent_again(project: Project, bot: MoodyBot) -> None:
    write(project, max_errors=10)
    bot.down = frozenset({"right"})
    project.run()
    assert by_id(project.report())["refunds/asks"]["errors"] == 6
    bot.down = frozenset()
    report = again(project)
    assert asked(project) == ["right"] * 6
    test = by_id(report)["refunds/asks"]
    assert (test["result"], test["passes"], test["errors"], test["carried_runs"]) == (
        *("passed", 6, 0),
        0,
    )
    assert test["earlier"] == [{"attempt": 1, "result": "error", "passes": 0, "judged": 0}]
    assert report["run"]["rerun"]["carried_runs"] == 6
    assert report["run"]["rerun"]["sentence"].startswith(
        "6 runs with a verdict were kept from attempt 1; 6 were made now"
    )


def test_an_error_that_changes_no_gate_is_made_good_too(project: Project) -> None:
    """The verdict stands whatever it brings; the report has all runs."""
    write(project, scenario("Begs", "right?"), threshold="0.1", gate="rate", max_errors=10)
    project.run()

    def lose(document: Any) -> None:
        test = by_id(document)["refunds/begs"]
        test["runs"][2].update(outcome="target_error", checks=[], votes=[], trials=[])
        test["runs"][2].update(reason_code="http_status", reason="500")
        test.update(passes=5, errors=1, judged=5, rate=1.0)

    changed(project, lose)
    report = again(project)
    assert asked(project) == ["right?"]
    assert by_id(report)["refunds/begs"]["passes"] == 6


def test_a_failed_adaptive_test_may_make_as_many_runs_again(
    project: Project, bot: MoodyBot
) -> None:
    write(project, **ADAPTIVE)
    project.run()
    first = by_id(project.report())["refunds/asks-wrong"]
    assert first["result"] == "failed"
    made = first["made"]
    bot.turned = True
    second = by_id(again(project))["refunds/asks-wrong"]
    assert (second["planned"], second["gate"]["max_runs"]) == (24, 12)
    assert (second["result"], second["passes"], second["fails"]) == ("passed", 15, 5)
    assert (made, second["carried_runs"]) == (5, 5)
    assert asked(project) == ["wrong"] * 15


def test_its_evidence_is_that_of_all_attempts(project: Project) -> None:
    """What always fails is given up again, after a few runs more, however often it is tried."""
    write(project, **ADAPTIVE)
    project.run()
    fails = [5]
    for attempt in (2, 3):
        test = by_id(again(project))["refunds/asks-wrong"]
        assert (test["result"], test["planned"]) == ("failed", attempt * 12)
        assert len(asked(project)) == test["fails"] - fails[-1] > 0
        fails.append(test["fails"])
    assert fails[-1] < 3 * 12


def test_an_adaptive_test_that_passed_is_not_asked_again(project: Project) -> None:
    write(project, **ADAPTIVE)
    project.run()
    test = by_id(again(project))["refunds/asks"]
    assert (test["planned"], test["carried_runs"]) == (12, 5)
    assert set(asked(project)) == {"wrong"}


def test_every_attempt_is_told_of_the_oldest_first(project: Project, bot: MoodyBot) -> None:
    project.run()
    bot.turned = True
    again(project)
    report = again(project, fresh=True)
    rerun = report["run"]["rerun"]
    assert rerun["attempt"] == 3
    told = [(each["attempt"], each["status"], each["runs_made"]) for each in rerun["earlier"]]
    assert told == [(1, "failed", 12), (2, "failed", 0)]
    assert report["status"] == "passed"
    earlier = by_id(report)["refunds/asks-wrong"]["earlier"]
    assert [(each["attempt"], each["result"]) for each in earlier] == [
        (1, "failed"),
        (2, "failed"),
    ]


def test_fresh_judges_everything_anew_and_says_so(project: Project, bot: MoodyBot) -> None:
    project.run()
    bot.turned = True
    report = again(project, fresh=True)
    assert asked(project) == ["right"] * 6 + ["wrong"] * 6
    rerun = report["run"]["rerun"]
    assert (rerun["anew"], rerun["carried_runs"]) == ("as asked (fresh)", 0)
    assert rerun["sentence"] == "Judged anew: as asked (fresh)."


def test_draws_go_on_with_the_same_seed(project: Project, bot: MoodyBot) -> None:
    write(project, max_errors=10)
    bot.down = frozenset({"right"})
    project.run()
    seed = project.report()["run"]["seed"]
    assert again(project)["run"]["seed"] == seed
    assert again(project, fresh=True)["run"]["seed"] != seed


def test_a_test_that_is_another_now_is_judged_anew_alone(project: Project) -> None:
    project.run()
    project.write(
        scenario("Asks", "right"),
        scenario("Asks wrong", "wrong, and differently"),
        scenario("Is new", "right!"),
        run={"runs": 6, "seed": None, "concurrency": 1},
    )
    report = again(project)
    assert asked(project) == ["right!"] * 6 + ["wrong, and differently"] * 6
    assert report["run"]["rerun"]["anew"] == (
        "2 tests are not as in attempt 1: their texts, target, judge or settings are others than"
        " then"
    )
    carried = {test_id: test["carried_runs"] for test_id, test in by_id(report).items()}
    assert carried == {"refunds/asks": 6, "refunds/asks-wrong": 0, "refunds/is-new": 0}


@pytest.mark.parametrize(
    "run",
    [{"threshold": "0.2"}, {"runs": 7}, {"gate": "rate"}, {"early_stop": True}, {"seed": 4}],
    ids=str,
)
def test_other_rules_take_nothing_over(project: Project, run: dict[str, Any]) -> None:
    project.run()
    write(project, **run)
    assert again(project)["run"]["rerun"]["carried_runs"] == 0


def test_another_judge_takes_nothing_over(project: Project) -> None:
    project.run()
    project.write(
        scenario("Asks", "right"),
        run={"runs": 6, "seed": None},
        judge={"provider": "stub", "instructions": "Be strict."},
    )
    assert again(project)["run"]["rerun"]["carried_runs"] == 0


def test_what_another_release_judged_is_not_taken_over(project: Project) -> None:
    project.run()
    changed(project, lambda document: document["tool"].update(version="0.0.9"))
    rerun = again(project)["run"]["rerun"]
    assert rerun["carried_runs"] == 0
    assert "attempt 1 was judged by CI Judge 0.0.9" in rerun["anew"]


def test_a_verdict_that_its_own_votes_do_not_give_is_made_again(project: Project) -> None:
    project.run()

    def forge(document: Any) -> None:
        test = by_id(document)["refunds/asks-wrong"]
        for run in test["runs"]:
            run["outcome"] = "pass"
        test.update(passes=6, fails=0, certain_fails=0, rate=1.0, result="passed")

    changed(project, forge)
    report = again(project)
    assert asked(project) == ["wrong"] * 6
    assert by_id(report)["refunds/asks-wrong"]["result"] == "failed"


def test_a_test_decided_early_needs_nothing_more(project: Project) -> None:
    write(project, early_stop=True, threshold="0.5", gate="rate")
    project.run()
    first = by_id(project.report())
    assert any(test["stopped"] for test in first.values())
    second = by_id(again(project))
    assert asked(project) == []
    for test_id, test in first.items():
        assert second[test_id]["stopped_after"] == test["stopped_after"]


def test_a_failed_test_counts_once_for_maxfail_however_many_of_its_runs_are_kept(
    project: Project, bot: MoodyBot
) -> None:
    """Runs beyond those that decided it had been under way, and are kept as well."""
    early = {"early_stop": True, "gate": "rate", "threshold": "0.9"}
    write(project, scenario("Begs", "please"), max_errors=10, concurrency=6, **early)
    bot.down = frozenset({"please"})
    project.run()
    assert by_id(project.report())["refunds/asks-wrong"]["uncounted"] > 0
    bot.down = frozenset()
    again(project, max_failures=2)
    assert "please" in asked(project)


def test_where_nothing_was_made_nothing_is_called_decided(project: Project, bot: MoodyBot) -> None:
    write(project, max_errors=10)
    bot.down = frozenset({"right"})
    project.run()
    report = again(project, max_failures=1)
    assert (asked(project), by_id(report)["refunds/asks"]["result"]) == ([], "error")
    assert report["run"]["rerun"]["sentence"] == (
        "All 6 runs were kept from attempt 1 and none was made now: a verdict is not drawn again."
    )


def test_a_secret_that_is_known_by_now_is_out_of_what_is_kept(project: Project) -> None:
    """Evidence that lacks it is said to, so that no judge takes the rest for the whole answer."""
    write(project, scenario("Begs", "I am tester-4711"))
    project.run()
    assert "tester-4711" in project.everything_said()
    project.log.clear()
    config = json.loads((project.folder / "ci-judge.yaml").read_text("utf-8"))
    config["report"]["redact"] = ["tester-[0-9]+", "14 days"]
    (project.folder / "ci-judge.yaml").write_text(json.dumps(config), "utf-8")
    report = again(project)
    assert (asked(project), report["run"]["rerun"]["carried_runs"]) == ([], 18)
    assert "tester-4711" not in project.everything_said()
    tests = by_id(report)
    redacted = {test_id: test["runs"][0]["redacted"] for test_id, test in tests.items()}
    assert redacted == {
        "refunds/asks": True,
        "refunds/asks-wrong": False,
        "refunds/begs": True,
    }


def test_skipped_tests_are_no_matter(project: Project) -> None:
    write(project, scenario("Later", "right", skip="not yet"))
    project.run()
    rerun = again(project)["run"]["rerun"]
    assert (rerun["anew"], rerun["carried_runs"]) == (None, 12)


def test_more_runs_than_configured_do_not_make_it_another_gate(
    project: Project, bot: MoodyBot
) -> None:
    write(project, **ADAPTIVE)
    project.run()
    base = project.folder / "base.json"
    base.write_bytes((project.folder / "out/report.json").read_bytes())
    bot.turned = True
    write(project, baseline="base.json", **ADAPTIVE)
    change = by_id(again(project))["refunds/asks-wrong"]["change"]
    assert change["kind"] != "not_comparable"


def test_without_a_report_it_starts_anew_and_says_why(project: Project) -> None:
    async def look(name: str) -> NoEarlierAttempt:
        assert name == "report.json"
        return NoEarlierAttempt(attempt=2, reason="attempt 1 left no report")

    project.run(look_for_earlier=look)
    rerun = project.report()["run"]["rerun"]
    assert rerun == {
        "attempt": 2,
        "earlier": [],
        "carried_runs": 0,
        "anew": "attempt 1 left no report",
        "sentence": "Judged anew: attempt 1 left no report.",
    }


def test_a_first_attempt_has_nothing_to_tell(project: Project) -> None:
    project.run()
    assert project.report()["run"]["rerun"] is None


@pytest.mark.parametrize(
    ("told", "now", "wrong"),
    [
        ({"commit": "a" * 40}, {"commit": "b" * 40, "attempt": 2}, "is about commit aaaaaaaaaa"),
        ({"attempt": 2}, {"commit": None, "attempt": 2}, "is of attempt 2, and this is attempt 2"),
    ],
)
def test_a_report_of_no_earlier_attempt_is_refused(
    project: Project, told: dict[str, Any], now: dict[str, Any], wrong: str
) -> None:
    project.run()
    changed(project, lambda document: document["run"].update(told))
    path = project.folder / "earlier.json"
    path.write_bytes((project.folder / "out/report.json").read_bytes())
    project.bot.requests.clear()
    with pytest.raises(InvalidInput, match=wrong):
        project.run(look_for_earlier=earlier_report(path, **now))
    assert asked(project) == []


def test_a_contradictory_report_is_refused_before_anything_is_sent(project: Project) -> None:
    project.run()
    changed(project, lambda document: by_id(document)["refunds/asks"]["runs"].pop())
    with pytest.raises(InvalidInput, match="counts other runs than it holds"):
        again(project)
    assert asked(project) == []


@pytest.mark.parametrize(
    ("forged", "wrong"),
    [
        ({"earlier": [1, 1]}, "tells of attempt 1 after attempt 1"),
        ({"earlier": [2, 1]}, "tells of attempt 1 after attempt 2"),
        ({"earlier": [0]}, "tells of attempt 0"),
        ({"earlier": [1, 2, 3]}, "tells of attempt 3, and is of attempt 3"),
        ({"carried_runs": 13}, "keeps 13 runs of the 12 that were made"),
    ],
    ids=str,
)
def test_a_history_that_cannot_be_is_refused(
    project: Project, forged: dict[str, Any], wrong: str
) -> None:
    """Such a list could be as long as somebody likes, and a report hold a negative number."""
    project.run()
    again(project)
    again(project)

    def forge(document: Any) -> None:
        rerun = document["run"]["rerun"]
        one = rerun["earlier"][0]
        rerun.update(forged)
        if "earlier" in forged:
            rerun["earlier"] = [one | {"attempt": number} for number in forged["earlier"]]

    changed(project, forge)
    with pytest.raises(InvalidInput, match=wrong):
        again(project)
    assert asked(project) == []


@pytest.mark.parametrize(
    ("forged", "wrong"),
    [
        ({"earlier": [1, 1]}, r'"refunds/asks" tells of attempt 1 after attempt 1'),
        ({"carried_runs": 7}, r'"refunds/asks" keeps 7 runs of the 6 that were made'),
    ],
    ids=str,
)
def test_neither_can_a_test_have_one(project: Project, forged: dict[str, Any], wrong: str) -> None:
    project.run()
    again(project)

    def forge(document: Any) -> None:
        test = by_id(document)["refunds/asks"]
        one = test["earlier"][0]
        test.update(forged)
        if "earlier" in forged:
            test["earlier"] = [one | {"attempt": number} for number in forged["earlier"]]

    changed(project, forge)
    with pytest.raises(InvalidInput, match=wrong):
        again(project)


def test_a_seed_that_nothing_draws_with_is_refused(project: Project) -> None:
    project.run()
    changed(project, lambda document: document["run"].update(seed=2**53))
    with pytest.raises(InvalidInput, match=r"run\.seed"):
        again(project)


def test_resume_does_not_lose_the_attempts_before(project: Project) -> None:
    """What a further attempt has left is gone on from as a report, with its history."""
    project.run()
    again(project)
    project.bot.requests.clear()
    with pytest.raises(InvalidInput, match=r"went on from an earlier attempt.*--continue-from"):
        project.run(resume=True)
    assert (asked(project), (project.folder / "out/report.json").exists()) == ([], True)


def test_the_command_goes_on_from_a_report(project: Project, monkeypatch: Any) -> None:
    monkeypatch.chdir(project.folder)
    for name in ("GITHUB_SHA", "GITHUB_RUN_ATTEMPT"):
        monkeypatch.delenv(name, raising=False)
    project.run()
    project.bot.requests.clear()
    earlier = project.folder / "out/report.json"
    asking = ["run", "--continue-from", str(earlier)]
    result = CliRunner().invoke(commands, asking, standalone_mode=False)
    assert (result.exception, result.return_value) == (None, 1)
    assert asked(project) == []
    both = CliRunner().invoke(commands, [*asking, "--resume"], standalone_mode=False)
    assert isinstance(both.exception, InvalidInput)
    assert "exclude each other" in str(both.exception)


def test_the_report_that_it_goes_on_from_is_not_lost_if_nothing_starts(project: Project) -> None:
    project.run()
    changed(project, lambda document: by_id(document)["refunds/asks"].update(fingerprint="other"))
    write(project, target={"serve": NO_SERVER})
    report = project.folder / "out/report.json"
    content = report.read_bytes()
    look = earlier_report(report, commit=None, attempt=None)
    with pytest.raises(CannotStart):
        project.run(look_for_earlier=look, goes_on_from=report)
    assert report.read_bytes() == content
    assert project.written() == {"report.json", "attempts.jsonl"}


def test_a_report_that_planned_too_much_gets_no_more_than_its_attempts(project: Project) -> None:
    write(project, **ADAPTIVE)
    project.run()

    def plan_much(document: Any) -> None:
        test = by_id(document)["refunds/asks-wrong"]
        more = 10_000 - test["planned"]
        test.update(planned=10_000, not_needed=test["not_needed"] + more)

    changed(project, plan_much)
    assert by_id(again(project))["refunds/asks-wrong"]["planned"] == 2 * 12


def test_other_gates_tell_of_no_attempts_that_were_held_to_the_old_ones(project: Project) -> None:
    project.run()
    again(project)
    asking = ["regate", str(project.folder / "out/report.json"), "--threshold", "0"]
    into = project.folder / "regated"
    result = CliRunner().invoke(
        commands, [*asking, "--report-dir", str(into)], standalone_mode=False
    )
    assert (result.exception, result.return_value) == (None, 0)
    report = json.loads((into / "report.json").read_text("utf-8"))
    assert not validate_report(report)
    assert report["run"]["rerun"] is None
    assert [test["earlier"] for test in by_id(report).values()] == [[], []]


def test_where_no_commit_is_known_it_is_said_that_the_code_may_be_other(project: Project) -> None:
    project.run()
    assert any("no commit is known" in warning for warning in again(project)["warnings"])
    assert not any("no commit" in each for each in again(project, fresh=True)["warnings"])


def test_a_known_commit_leaves_no_doubt(project: Project) -> None:
    project.run(context={"commit": "a" * 40})
    path = project.folder / "earlier.json"
    path.write_bytes((project.folder / "out/report.json").read_bytes())
    project.run(look_for_earlier=earlier_report(path, commit="a" * 40, attempt=None))
    assert not any("no commit" in warning for warning in project.report()["warnings"])


def test_the_command_refuses_a_report_about_another_commit_of_the_checkout(
    project: Project, monkeypatch: Any
) -> None:
    monkeypatch.chdir(project.folder)
    for name in ("GITHUB_SHA", "GITHUB_RUN_ATTEMPT", "CI_COMMIT_SHA", "CI"):
        monkeypatch.delenv(name, raising=False)
    (project.folder / ".git").mkdir()
    head = project.folder / ".git/HEAD"
    head.write_text("a" * 40)
    assert CliRunner().invoke(commands, ["run"], standalone_mode=False).exception is None
    asking = ["run", "--continue-from", "out/report.json"]
    head.write_text("b" * 40)
    result = CliRunner().invoke(commands, asking, standalone_mode=False)
    assert "is about commit aaaaaaaaaa, and bbbbbbbbbb is judged now" in str(result.exception)
