"""Replies of judges as they really come: wrapped, empty, refused, damaged, late."""

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.cases.collection import required
from tests.cases.outcome import Outcome
from tests.cases.workbench import Open, Workbench

required()


def judged(bench: Workbench, *files: str, **judge: Any) -> tuple[Outcome, dict[str, Any]]:
    """Give a run to each reply, in order, and return the runs by the name of the reply."""
    bench.change(judge={"reply_files": list(files), **judge}, run={"runs": len(files)})
    with bench.servers() as running:
        outcome = bench.run(running, changes={"run": {"concurrency": 1}})
        assert len(running.asked("judge")) == len(files), "a readable reply is asked for once"
    return outcome, dict(zip(files, outcome.runs, strict=True))


def test_h01_a_verdict_in_a_fence_is_read_with_its_reason(bench: Open) -> None:
    files = ("judge_fenced.json", "judge_fence_crlf.json", "judge_fence_upper.json")
    outcome, runs = judged(bench("H01"), *files)
    assert outcome.exit_code == 0
    assert outcome.outcomes == ["pass", "pass", "pass"]
    assert runs["judge_fenced.json"]["reason"] == "Quotes the window as ```14 days``` verbatim."


def test_h01_a_fenced_no_is_a_failure_of_the_answer(bench: Open) -> None:
    outcome, _ = judged(bench("H01"), "judge_fence_false.json")
    assert outcome.exit_code == 1
    assert outcome.outcomes == ["fail"]


def test_h04_an_object_without_a_verdict_is_no_verdict(bench: Open) -> None:
    shapeless = ("reason_only", "null", "list_value", "dict_value", "empty")
    readable = ("nested_false", "bare_false", "list_false")
    files = [f"judge_{name}.json" for name in shapeless + readable]
    outcome, runs = judged(bench("H04"), *files)
    assert outcome.exit_code != 0
    assert [runs[f"judge_{name}.json"]["outcome"] for name in shapeless] == ["judge_error"] * 5
    assert "pass" not in outcome.outcomes
    assert outcome.report["summary"]["runs_errors"] == outcome.outcomes.count("judge_error")


def test_h06_thinking_is_not_the_answer(bench: Open) -> None:
    files = ("judge_thinking_first.json", "judge_two_text_blocks.json", "judge_thinking_only.json")
    outcome, _ = judged(bench("H06"), *files)
    assert outcome.outcomes == ["fail", "pass", "judge_error"]
    first, _, last = outcome.runs
    assert first["reason"] == "The window is missing."
    assert "At first glance" not in outcome.text("summary.md") + outcome.printed
    assert "no text" in last["reason"]
    assert "thinking" in last["reason"]


@pytest.mark.parametrize(
    ("provider", "file"),
    [
        ("anthropic", "judge_refusal_anthropic.json"),
        ("openai", "judge_refusal_openai.json"),
        ("openai", "judge_content_filter.json"),
    ],
)
def test_h07_a_refusal_is_asked_for_once_and_named(bench: Open, provider: str, file: str) -> None:
    outcome, _ = judged(bench("H07"), file, provider=provider)
    assert outcome.exit_code == 3
    assert outcome.outcomes == ["judge_error"]
    (reason,) = outcome.reasons
    assert "refus" in reason or "content_filter" in reason


def test_h08_words_without_an_object_are_no_verdict(bench: Open) -> None:
    # No form of a bare word is documented, so "PASS" alone is none either.
    names = ("incorrect", "does_not_pass", "bare_pass", "not_incorrect", "pass_on")
    outcome, _ = judged(bench("H08"), *(f"judge_{name}.json" for name in names))
    assert outcome.exit_code == 3
    assert outcome.outcomes == ["judge_error"] * 5


@pytest.mark.parametrize(
    ("file", "words", "requests"),
    [
        # The design: an answer that was cut off is asked for once more, with twice the room.
        ("judge_empty_length.json", "token", 2),
        ("judge_null_length.json", "token", 2),
        ("judge_empty_stop_reasoning.json", "empty", 1),
    ],
)
def test_h09_an_empty_answer_says_why(bench: Open, file: str, words: str, requests: int) -> None:
    case = bench("H09")
    with case.servers("--judge-file", file) as running:
        outcome = case.run(running)
        assert len(running.asked("judge")) == requests
    assert outcome.exit_code == 3
    assert outcome.outcomes == ["judge_error"]
    assert words in outcome.reasons[0]


def test_h10_a_refused_max_tokens_costs_at_most_one_more_request(bench: Open) -> None:
    case = bench("H10")
    with case.servers() as running:
        outcome = case.run(running)
        bodies = running.bodies("judge")
    assert outcome.outcomes == ["pass"]
    assert len(bodies) <= 2
    assert all("temperature" not in body for body in bodies)


@pytest.mark.parametrize("provider", ["anthropic", "systemone"])
def test_h10_a_temperature_that_is_not_set_is_not_sent(bench: Open, provider: str) -> None:
    case = bench("H10")
    case.change(judge={"provider": provider, "reject_if_body_has": None})
    with case.servers() as running:
        outcome = case.run(running)
        (body,) = running.bodies("judge")
    assert "temperature" not in body
    assert outcome.report["judge"]["temperature"] is None


def test_h10_a_refusal_that_cannot_be_mended_is_shown_once(bench: Open) -> None:
    case = bench("H10")
    case.change(judge={"reject_if_body_has": {"temperature": "judge_400_temperature.json"}})
    with case.servers() as running:
        outcome = case.run(running, changes={"judge": {"temperature": 0}})
        assert len(running.asked("judge")) == 1
    assert outcome.exit_code == 3
    assert "Only the default (1) value is supported" in outcome.reasons[0]
    assert "temperature" in outcome.reasons[0]


LEAST_WAITS = {0: 1.0, 1: 0.9, 2: 0.0, 3: 0.5, 5: 0.0, 6: 0.0, 7: 0.0}  # a date has whole seconds
OF_CENTURIES = 4


def waited(bench: Open, subrun: int) -> tuple[Outcome, float]:
    """Play one form of Retry-After, and tell the seconds between the two requests."""
    case = bench("H11")
    with case.servers("--subrun", str(subrun)) as running:
        outcome = case.run(running)
        first, second = running.asked("judge")
    return outcome, second["t"] - first["t"]


def test_h11_every_form_of_retry_after_is_waited_out(bench: Open) -> None:
    # All at once, since most of it is waiting. The design caps a wait at half a minute, so the
    # request that was put off for centuries is made again, and answered.
    subruns = [*LEAST_WAITS, OF_CENTURIES]
    with ThreadPoolExecutor(len(subruns)) as pool:
        played = dict(
            zip(subruns, pool.map(lambda each: waited(bench, each), subruns), strict=True)
        )
    assert [outcome.outcomes for outcome, _ in played.values()] == [["pass"]] * len(subruns)
    for subrun, least in LEAST_WAITS.items():
        assert least <= played[subrun][1] < 15, subrun
    assert 29 < played[OF_CENTURIES][1] < 60


@pytest.mark.parametrize("row", range(6))
def test_h12_every_form_of_a_base_url_reaches_the_one_path(bench: Open, row: int) -> None:
    case = bench("H12")
    base_url, path = case.read("base_urls.tsv").splitlines()[row + 1].split("\t")
    with case.servers() as running:
        outcome = case.run(running, changes={"judge": {"base_url": base_url}})
        assert [request["path"] for request in running.asked("judge")] == [path]
    assert outcome.outcomes == ["pass"]


def test_h12_a_404_shows_the_whole_url(bench: Open) -> None:
    case = bench("H12")
    with case.servers() as running:
        outcome = case.run(running, changes={"judge": {"base_url": "{JUDGE}/elsewhere"}})
        tried = running.addresses["JUDGE"] + "/elsewhere/chat/completions"
    assert outcome.exit_code == 3
    assert tried in outcome.reasons[0]


def question(body: dict[str, Any]) -> str:
    """Give all that a judge is told, in the order in which it reads it."""
    said: list[str] = [json.dumps(body.get("system", ""), ensure_ascii=False)]
    for message in body["messages"]:
        content = message["content"]
        said += [content] if isinstance(content, str) else [part["text"] for part in content]
    return "\n".join(said)


def test_h13_the_answer_cannot_close_the_fence_around_it(bench: Open) -> None:
    case = bench("H13")
    reply = case.load("endpoint_reply.json")["reply"].replace("send it back", "take 14 days")
    case.write("endpoint_reply.json", json.dumps({"reply": reply}))  # else no judge is asked
    case.change(run={"runs": 2})
    with case.servers() as running:
        outcome = case.run(running, changes={"run": {"concurrency": 1}})
        first, second = (question(body) for body in running.bodies("judge"))
    assert outcome.outcomes == ["fail", "fail"]
    before, _, after = first.partition(reply)
    assert after, "the reply stands in the question, whole"
    opener, closer = before.rstrip().splitlines()[-1], after.lstrip().splitlines()[0]
    assert (first.count(opener), first.count(closer)) == (1, 1)
    assert opener not in reply
    assert closer not in reply
    assert (opener not in second) or (closer not in second), "fences are random"
    assert first.index("within") < first.index(reply), "the expectation is told before the reply"


@pytest.mark.parametrize(
    ("provider", "file", "outcomes"),
    [
        # The design: a reply that calls a tool is a judge error that names it.
        ("openai", "judge_tool_call.json", {"judge_error"}),
        ("anthropic", "judge_tool_use.json", {"judge_error"}),
        ("openai", "judge_two_choices.json", {"judge_error", "fail"}),
        ("openai", "judge_no_choices.json", {"judge_error"}),
    ],
)
def test_h15_tool_calls_and_choices_are_no_way_to_a_pass(
    bench: Open, provider: str, file: str, outcomes: set[str]
) -> None:
    outcome, _ = judged(bench("H15"), file, provider=provider)
    assert set(outcome.outcomes) <= outcomes
    assert outcome.exit_code != 0
    if "tool" in file:
        assert "tool" in outcome.reasons[0]


def test_h16_damaged_json_touches_its_own_run_alone(bench: Open) -> None:
    damaged = ("bad_escape", "raw_newline", "trailing_comma", "single_quotes")
    files = [f"judge_{name}_false.json" for name in damaged]
    outcome, runs = judged(bench("H16"), "judge_ok.json", *files)
    assert outcome.outcomes[0] == "pass"
    assert set(outcome.outcomes[1:]) <= {"fail", "judge_error"}
    escaped = runs["judge_bad_escape_false.json"]  # the design: an illegal escape is repaired
    assert escaped["outcome"] == "fail"
    assert "$14" in escaped["reason"]


def test_h16_the_other_attempts_keep_their_verdicts(bench: Open) -> None:
    case = bench("H16")
    outcome = case.play(changes={"run": {"concurrency": 1}})
    assert [name == "pass" for name in outcome.outcomes] == [True, False, True, True]
    assert outcome.report["summary"]["runs_made"] == 4
