"""The action: events, comments, inputs and other servers than github.com."""

import json
import os
import re

import pytest

from ci_judge.action_inputs import INPUTS, variable_of
from tests.cases.collection import required, suite_of
from tests.cases.step import Step, StepOutcome, comments, failing
from tests.cases.workbench import Open
from tests.e2e.commands import REPOSITORY

required()

FILES = ("report.json", "junit.xml", "report.html", "summary.md")


EVENTS = [
    ("push", "event_push.json"),
    ("push", "event_tag.json"),
    ("schedule", "event_schedule.json"),
    ("workflow_dispatch", "event_dispatch.json"),
    ("merge_group", "event_merge_group.json"),
    ("workflow_run", "event_workflow_run.json"),
    ("pull_request", "event_empty.json"),
]


def test_h76_events_without_a_pull_request_cost_only_the_comment(bench: Open) -> None:
    case = bench("H76")
    # workflow_run has secrets, so the code must be known to be the repository's own
    case.write(".git/HEAD", "0" * 40 + "\n")
    case.write(".git/config", '[remote "origin"]\n\turl = https://github.com/octo-org/example\n')
    with case.servers() as running:
        case.configure(running)
        step = Step(case, running)
        for number, (name, event) in enumerate(EVENTS):
            if number == len(EVENTS) - 2:
                failing(case)
            outcome = step.run(event=event, event_name=name)
            assert outcome.exit_code == (1 if number >= len(EVENTS) - 2 else 0), name
            assert all((outcome.outcome.report_dir / file).is_file() for file in FILES)
            assert outcome.summary
            assert "no pull request" in outcome.notices().lower()
        missing = step.run(environment={"GITHUB_EVENT_PATH": "/nonexistent/event.json"})
        assert missing.exit_code == 1
        assert step.writes() == []


def test_h76_a_deleted_fork_is_no_crash_and_the_head_is_shown(bench: Open) -> None:
    case = bench("H76")
    state = case.root / "state.json"
    with case.servers("--state", str(state)) as running:
        case.configure(running)
        step = Step(case, running).run(event="event_pr_deleted_fork.json")
    assert step.exit_code == 0
    assert step.outcome.report["run"]["commit"] == "a" * 40
    for comment in comments(state):
        assert "aaaaaaa" in comment["body"]
        assert "0000000" not in comment["body"]


@pytest.mark.parametrize("variant", ["v1", "v2", "v3"])
def test_h77_a_comment_that_is_refused_changes_nothing(bench: Open, variant: str) -> None:
    case = bench("H77")
    with case.servers("--github-variant", variant) as running:
        case.configure(running)
        step = Step(case, running).run(event="event.json")
    assert step.exit_code == 0
    said = step.notices()
    assert "comment was not posted" in said
    if variant != "v3":
        assert "fork" in said
    assert "Asks how to get money back" in step.summary


def test_h77_a_gateway_that_stumbles_is_asked_again(bench: Open) -> None:
    case = bench("H77")
    state = case.root / "state.json"
    with case.servers("--github-variant", "v4", "--state", str(state)) as running:
        case.configure(running)
        assert Step(case, running).run(event="event.json").exit_code == 0
    assert len(comments(state)) == 1


def test_h77_a_rate_limit_is_waited_out(bench: Open) -> None:
    case = bench("H77")
    state = case.root / "state.json"
    with case.servers("--github-variant", "v5", "--state", str(state)) as running:
        case.configure(running)
        outcome = Step(case, running).run(event="event.json")
        asked = [one["path"] for one in running.asked("github") if one["method"] != "GET"]
    assert outcome.exit_code == 0
    assert len(comments(state)) == 1
    assert "not posted" not in outcome.notices()
    assert asked[:2] == ["/graphql", "/graphql"], "what was limited is asked once more"


def test_h77_a_fork_without_the_key_is_told_why(bench: Open) -> None:
    case = bench("H77")
    case.change(judge={"provider": "anthropic", "replies": []})
    with case.servers() as running:
        # a judge on this very machine needs no key, so it stands elsewhere
        case.configure(running, {"judge": {"base_url": "http://judge.invalid"}})
        step = Step(case, running).run(event="event.json", environment={"STUB_KEY": ""})
        assert running.asked("endpoint") == []
    assert step.exit_code == 2
    errors = [one.message for one in step.log.commands if one.name == "error"]
    assert len(errors) == 1
    assert "STUB_KEY" in errors[0]
    assert "fork" in errors[0]


def test_h78_each_key_keeps_a_comment_of_its_own(bench: Open) -> None:
    case = bench("H78")
    state = case.root / "state.json"
    keys = case.load("keys.json")[2:]
    with case.servers("--state", str(state)) as running:
        case.configure(running)
        step = Step(case, running)
        for key in keys:
            step.run(event="event.json", comment_key=key)
        first = comments(state)
        failing(case)
        for key in keys:
            step.run(event="event.json", comment_key=key)
        second = comments(state)
    assert len(first) == len(keys)
    assert [each["id"] for each in second] == [each["id"] for each in first]
    for before, after in zip(first, second, strict=True):
        assert (
            before["body"].splitlines()[0].split(" sha=")[0]
            == (after["body"].splitlines()[0].split(" sha=")[0])
        )
        assert before["body"] != after["body"]
        assert after["body"].splitlines()[0].count("-->") == 1


def test_h79_our_comment_is_found_on_any_page(bench: Open) -> None:
    case = bench("H79")
    state = case.root / "state.json"
    with case.servers("--state", str(state)) as running:
        case.configure(running)
        Step(case, running).run(event="event.json")
    kept = json.loads(state.read_text())
    (ours,) = kept["comments"]
    others = [
        {"id": 5000 + number, "body": None if number % 50 == 0 else "Thanks!", "user": None}
        for number in range(249)
    ]
    kept["comments"] = [*others[:232], ours, *others[232:]]
    state.write_text(json.dumps(kept))
    failing(case)
    with case.servers("--state", str(state)) as running:
        case.configure(running)
        step = Step(case, running)
        step.run(event="event.json")
        assert step.writes() == [f"PATCH /repos/octo-org/example/issues/comments/{ours['id']}"]
        reads = [one for one in running.asked("github") if one["path"].endswith("graphql")]
        assert len(reads) <= 10


def test_h80_an_older_run_overwrites_nothing(bench: Open) -> None:
    case = bench("H80")
    state = case.root / "state.json"
    new, old, again = case.load("env_runs.json")
    with case.servers("--state", str(state)) as running:
        case.configure(running)
        step = Step(case, running)

        def play(run: dict[str, str]) -> StepOutcome:
            variables = {name: value for name, value in run.items() if name != "event"}
            return step.run(event=run["event"], environment=variables)

        assert play(new).exit_code == 0
        (first,) = comments(state)
        failing(case)
        late = play(old)
        assert late.exit_code == 1, "its own gates"
        assert comments(state) == [first]
        said = [one.message for one in late.log.commands if one.name == "notice"]
        assert any("aaaaaaa" in notice and "stays as it is" in notice for notice in said)
        play(again)
    (last,) = comments(state)
    assert last["id"] == first["id"]
    for comment, attempt in ((first, 1), (last, 2)):
        shown = comment["body"].partition("\n")[2]
        assert "fffffff" in shown
        assert f"/actions/runs/9012/attempts/{attempt}" in shown
    assert first["body"] != last["body"]


RUNNER_UID = 1001


def test_h81_the_container_leaves_files_that_others_can_delete(bench: Open) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root, which the container runs as, can give files away")
    case = bench("H81")
    case.change(**{**suite_of("H77"), "github": None})
    with case.servers() as running:
        case.configure(running)
        for path in (case.root, *case.root.rglob("*")):
            os.chown(path, RUNNER_UID, RUNNER_UID)
        step = Step(case, running).run(event_name="push", report_dir="out/deep/reports")
    assert step.exit_code == 0
    out = case.root / "out"
    assert (out / "deep" / "reports" / "report.json").is_file()
    for path in (out, *out.rglob("*")):
        found = path.lstat()
        assert (found.st_uid, found.st_gid) == (RUNNER_UID, RUNNER_UID), path
        assert found.st_mode & 0o004, path


@pytest.mark.parametrize("report_dir", ["../elsewhere", "/nowhere/reports"])
def test_h81_a_folder_outside_of_the_workspace_is_one_clear_error(
    bench: Open, report_dir: str
) -> None:
    case = bench("H81")
    case.change(**{**suite_of("H77"), "github": None})
    with case.servers() as running:
        case.configure(running)
        step = Step(case, running).run(event_name="push", report_dir=report_dir)
        assert running.asked("endpoint") == []
    assert step.exit_code == 2
    (error,) = [one.message for one in step.log.commands if one.name == "error"]
    assert "report-dir" in error
    assert str(case.root) in error, "where it may be"


BOOLEANS = [("false", 0), ("False", 0), (" true ", 0), ("", 0), ("yes", 2)]


@pytest.mark.parametrize(("value", "exit_code"), BOOLEANS)
def test_h83_booleans_are_githubs(bench: Open, value: str, exit_code: int) -> None:
    case = bench("H76")
    with case.servers() as running:
        case.configure(running)
        step = Step(case, running).run(event_name="push", summary=value, config="")
    assert step.exit_code == exit_code
    assert bool(step.summary) == (value in {" true ", ""})
    if exit_code:
        assert "summary" in next(one.message for one in step.log.commands if one.name == "error")


def test_h83_blanks_and_quotes_in_a_path_are_part_of_it(bench: Open) -> None:
    case = bench("H76")
    with case.servers() as running:
        config = case.configure(
            running, {"suite": {"criteria": "../acceptance.md", "paths": ["../scenarios.yaml"]}}
        )
        odd = case.root / "dir with space" / "it's.yaml"
        odd.parent.mkdir()
        config.rename(odd)
        step = Step(case, running)
        first = step.run(event_name="push", config="dir with space/it's.yaml")
        # A step has one configuration; `paths` takes lines, where CRLF and blanks are harmless.
        lines = " scenarios.yaml \r\n./scenarios.yaml\r\n"
        second = step.run(event_name="push", config="dir with space/it's.yaml\r\n", paths=lines)
    for each in (first, second):
        assert each.exit_code == 0, each.outcome.out
        assert each.outputs["tests"] == "1"


def test_h83_every_input_is_read_from_the_variable_that_the_runner_sets() -> None:
    action = (REPOSITORY / "action.yml").read_text()
    declared = re.findall(r"^  ([a-z-]+):$", action.partition("\noutputs:")[0], re.MULTILINE)
    assert set(declared) >= set(INPUTS)
    for name in INPUTS:
        assert variable_of(name) == f"INPUT_{name.upper()}"
    entrypoint = re.findall(
        r"^ENTRYPOINT (.*)$", (REPOSITORY / "Dockerfile").read_text(), re.MULTILINE
    )
    assert len(entrypoint) == 1
    assert entrypoint[0].startswith("["), "no shell, which would drop hyphens"
    assert "sh" not in json.loads(entrypoint[0])[0].rsplit("/")[-1]


@pytest.mark.parametrize("number", [0, 1])
def test_h85_other_roots_are_taken_as_they_are(bench: Open, number: int) -> None:
    case = bench("H85")
    state = case.root / "state.json"
    with case.servers("--state", str(state)) as running:
        case.configure(running)
        roots = running.fill(case.load("env.json")[number])
        step = Step(case, running)
        outcome = step.run(
            event="event.json",
            environment={
                **roots,
                # the case gives REST alone; the runner sets both, and GraphQL is asked as well
                "GITHUB_GRAPHQL_URL": running.addresses["GITHUB"] + "/api/graphql",
                "GITHUB_REPOSITORY": "Octo.Org/Ex-ample",
            },
        )
        writes = step.writes()
    assert outcome.exit_code == 0
    assert writes == ["POST /api/v3/repos/Octo.Org/Ex-ample/issues/7/comments"]
    (comment,) = comments(state)
    links = re.findall(r"https?://[^\s)\"'>]+", comment["body"])
    assert any(link.startswith("https://ghe.example.com/Octo.Org/Ex-ample/") for link in links)
    assert not [link for link in links if "api.github.com" in link]
