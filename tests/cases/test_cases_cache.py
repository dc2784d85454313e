"""What is remembered between runs, what never is, and what makes a question a new one."""

import json
import shutil
from collections.abc import Mapping
from typing import Any

import pytest

from tests.cases.collection import required
from tests.cases.outcome import Outcome
from tests.cases.servers import Servers
from tests.cases.workbench import Open, Workbench

required()


def test_h25_errors_are_not_remembered_and_damage_is_survived(bench: Open) -> None:
    case = bench("H25")
    good = case.suite["endpoint_replies"]
    folder = case.root / ".ci-judge"
    outcomes: list[str] = []
    asked: list[tuple[int, int]] = []
    for step in case.load("plan.json"):
        replies = good if step["endpoint"] == 200 else [{"status": step["endpoint"], "json": {}}]
        case.change(endpoint_replies=replies)
        if step.get("wipe_cache"):
            shutil.rmtree(folder)
        if step.get("truncate_cache_entry"):
            (file,) = folder.glob("cache.sqlite3")
            file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
        with case.servers("--judge-file", step["judge"]) as running:
            outcome = case.run(running, changes={"run": {"cache": "all"}})
            asked.append((len(running.asked("endpoint")), len(running.asked("judge"))))
        outcomes += outcome.outcomes
    assert outcomes == ["target_error", "pass", "judge_error", "pass", "pass"]
    assert asked[1][0] == 1, "an endpoint that failed is asked again"
    assert asked[2][1] == asked[3][1] == 1, "a judge that gave no verdict is asked again"
    assert asked[4][1] == 1, "what is damaged is asked again"


@pytest.mark.parametrize("cache", ["verdicts", "all"])
def test_h25_what_was_judged_is_not_asked_again(bench: Open, cache: str) -> None:
    case = bench("H25")
    with case.servers("--judge-file", "judge_pass.json") as running:
        case.run(running, changes={"run": {"cache": cache}})
        outcome = case.run(running, changes={"run": {"cache": cache}})
        assert len(running.asked("judge")) == 1
        assert len(running.asked("endpoint")) == (1 if cache == "all" else 2)
        fresh = case.run(running, "--no-cache", changes={"run": {"cache": cache}})
        assert len(running.asked("judge")) == 2
    assert outcome.report["summary"]["judge_cached"] == 1
    assert fresh.outcomes == ["pass"]


class Remembering:
    """Runs a case again and again, and counts what each run asked anew."""

    def __init__(self, case: Workbench, running: Servers) -> None:
        self.case = case
        self.running = running
        self.seen = (0, 0)

    def asks(
        self, changes: Mapping[str, Any] | None = None, environment: Mapping[str, str] | None = None
    ) -> tuple[int, int]:
        """Give how many new requests the endpoint and the judge got."""
        both = {**(changes or {}), "run": {"cache": "all"}}
        outcome: Outcome = self.case.run(self.running, changes=both, **(environment or {}))
        assert outcome.outcomes == ["pass"] * 4
        before = self.seen
        self.seen = (len(self.running.asked("endpoint")), len(self.running.asked("judge")))
        return self.seen[0] - before[0], self.seen[1] - before[1]


def test_h26_everything_that_a_judgement_depends_on_is_in_its_key(bench: Open) -> None:
    case = bench("H26")
    plain = case.read("scenarios.yaml")
    criteria = case.read("acceptance.md")
    with case.servers() as running:
        remembering = Remembering(case, running)
        assert remembering.asks() == (4, 4), "one message, other expectations: each is judged"
        assert remembering.asks() == (0, 0)
        for judge in ({"model": "judge-model-b"}, {"temperature": 0.5}):
            assert remembering.asks({"judge": judge}) == (0, 4), judge
        case.write("scenarios.yaml", plain.replace("two weeks", "a fortnight"))
        assert remembering.asks() == (0, 1)
        case.write("acceptance.md", criteria.rstrip() + " Always.\n")
        assert remembering.asks() == (0, 4)


def test_h26_everything_that_an_answer_depends_on_is_in_its_key(bench: Open) -> None:
    case = bench("H26")
    plain = case.read("scenarios.yaml")
    with case.servers() as running:
        remembering = Remembering(case, running)
        remembering.asks()
        assert remembering.asks({"target": {"url": "{ENDPOINT}/other"}})[0] == 4
        assert remembering.asks({}, {"HELD_TOKEN": "tok-held-of-another"})[0] == 4
        template = {"message": "{{message}}", "history": "{{history}}", "lang": "en"}
        assert remembering.asks({"target": {"body": template}})[0] == 4
        history = "\n    history: [{role: user, content: Hello}]"
        case.write(
            "scenarios.yaml",
            plain.replace("How long have I got?", f"How long have I got?{history}", 1),
        )
        assert remembering.asks() == (1, 1)
        assert remembering.asks() == (0, 0)
    kept = b"".join(path.read_bytes() for path in (case.root / ".ci-judge").iterdir())
    for secret in ("tok-held-000111222333", "tok-held-of-another"):
        assert secret.encode() not in kept
    assert json.dumps("Bearer").encode() not in kept
