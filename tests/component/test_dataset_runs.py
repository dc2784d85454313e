"""Datasets in whole runs: selected, sharded, resumed and reported row by row."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from ci_judge.errors import InvalidInput
from ci_judge.redaction import Redactor
from ci_judge.renderers.console import render
from ci_judge.settings import load_settings
from ci_judge.workflows.children import open_children
from ci_judge.workflows.fingerprint import fingerprint
from ci_judge.workflows.opening import open_household
from ci_judge.workflows.planning import Plan, Selection, make_plan
from ci_judge.workflows.surroundings import Surroundings
from tests.projects import Project, a_project, knows_refunds
from tests.small_suites import by_id

ROWS: list[dict[str, Any]] = [
    {"id": "a", "q": "How {{q}} ${HOME}?", "days": "14 days"},
    {"id": "b", "q": "wrong", "days": "14 days"},
    {"id": "c", "q": {"sku": 1}, "days": "14 days"},
]
TEMPLATE = {
    "name": "Asks",
    "from": "rows.jsonl",
    "message": "{{q}}",
    "expected": 'Says "{{days}}".',
}


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with a_project(tmp_path, knows_refunds) as made:
        made.write(TEMPLATE)
        write_rows(made.folder, ROWS)
        yield made


def write_rows(folder: Path, rows: list[dict[str, Any]]) -> None:
    text = "".join(f"{json.dumps(row)}\n" for row in rows)
    (folder / "rows.jsonl").write_text(text, "utf-8")


def test_every_row_is_sent_as_it_is_and_judged_by_itself(project: Project) -> None:
    finished = project.run()
    tests = by_id(project.report())
    assert {key: test["result"] for key, test in tests.items()} == {
        "refunds/asks[a]": "passed",
        "refunds/asks[b]": "failed",
        "refunds/asks[c]": "passed",
    }
    assert tests["refunds/asks[b]"]["row"] == "rows.jsonl:2"
    assert tests["refunds/asks[b]"]["file"] == "scenarios.yaml"
    sent = [request.body["message"] for request in project.bot.requests]
    assert sorted(map(str, sent)) == sorted(str(row["q"]) for row in ROWS for _ in range(2))
    for name in ("summary.md", "report.html", "junit.xml"):
        assert "rows.jsonl:2" in (project.folder / "out" / name).read_text("utf-8")
    console = "".join(render(finished.document, finished.runs))
    assert "row at rows.jsonl:2" in console


def test_rows_are_selected_by_their_names(project: Project) -> None:
    project.run(selection=Selection(names="asks[b]"))
    assert list(by_id(project.report())) == ["refunds/asks[b]"]


def test_shards_share_the_rows_out(project: Project) -> None:
    held = []
    for index in (1, 2):
        project.run(overrides={"run.shard": f"{index}/2"})
        held += list(by_id(project.report()))
    assert sorted(held) == [f"refunds/asks[{key}]" for key in "abc"]


def test_the_seed_of_the_run_draws_the_sample(project: Project) -> None:
    write_rows(project.folder, [{"id": f"r{n}", "q": "?", "days": "14"} for n in range(40)])
    project.write(TEMPLATE | {"sample": 3})
    drawn = {tuple(test.id for test in plan_of(project, seed=seed).tests) for seed in range(4)}
    assert len(drawn) > 2
    assert all(len(ids) == 3 for ids in drawn)


def test_what_a_row_holds_is_part_of_what_can_be_resumed(project: Project) -> None:
    before = print_of(project)
    assert print_of(project) == before
    write_rows(project.folder, [*ROWS[:2], ROWS[2] | {"q": "Other?"}])
    assert print_of(project) != before


def test_what_the_target_cannot_be_sent_is_told_once_for_all_rows(project: Project) -> None:
    past = {"history": [{"role": "user", "content": "Hi"}]}
    project.write(TEMPLATE | past, target={"body": {"text": "{{message}}"}})
    with pytest.raises(InvalidInput) as caught:
        project.run()
    (problem,) = caught.value.problems
    assert '"refunds/asks[a]" has a history, but target sends none' in str(problem)


def print_of(project: Project) -> str:
    plan = plan_of(project)
    return fingerprint(plan.tests, seed=7)


def _settings(project: Project, seed: int) -> Any:
    return load_settings(
        config=None,
        cwd=project.folder,
        environment=project.environment,
        overrides={"run.seed": str(seed)},
    )


def plan_of(project: Project, *, seed: int = 7) -> Plan:
    return asyncio.run(_plan(project, seed))


async def _plan(project: Project, seed: int) -> Plan:
    settings = _settings(project, seed)
    surroundings = Surroundings(cwd=project.folder, environment=project.environment)
    async with AsyncExitStack() as stack:
        children = open_children(settings, surroundings, stack, redact=Redactor(()).text)
        household = open_household(settings, surroundings, stack, children=children)
        return await make_plan(settings, surroundings, Selection(), hosts=household.hosts)
