"""One run as a line of the ledger: bounded, and clean without losing what holds it together."""

import json

from ci_judge.document.cleaning import clean_entry
from ci_judge.document.run_entries import REASON_CHARS, iso_time, run_entry
from ci_judge.model.evidence import CaseValue, Conversation, EvidenceFailure, FailureCode, Reply
from ci_judge.model.judging import Run
from ci_judge.model.suite import JsonValue, Message
from ci_judge.redaction import Redactor
from tests.builders import a_document, a_group, a_run, a_test

SECRET = "s3cr3t-s3cr3t"


def a_conversation(*texts: JsonValue) -> Conversation:
    return Conversation(
        transcript=tuple(Message(role="assistant", content=text) for text in texts),
        replies=tuple(Reply(text=str(text), value=text, latency_seconds=0.5) for text in texts),
    )


def test_a_long_answer_is_cut_and_says_by_how_much() -> None:
    run = Run(test_id="t", number=1, outcome="pass", reason="", evidence=a_conversation("x" * 150))
    entry = run_entry(run, max_response_chars=100)
    cut = "x" * 100 + "… [50 more characters]"
    assert (entry["response"], entry["transcript"][0]["content"]) == (cut, cut)
    assert entry["cut_chars"] == 50


def test_what_fits_is_kept_as_it_is() -> None:
    value = {"a": [1, None, "é"]}
    run = Run(
        test_id="t",
        number=1,
        outcome="pass",
        reason="",
        evidence=CaseValue(value=value, latency_seconds=0.5),
    )
    entry = run_entry(run, max_response_chars=100)
    assert (entry["evidence"], entry["cut_chars"], entry["latency_seconds"]) == (value, 0, 0.5)


def test_many_short_texts_are_as_long_as_one_long_text() -> None:
    run = Run(
        test_id="t",
        number=1,
        outcome="pass",
        reason="r" * 100_000,
        evidence=CaseValue(value=["ab"] * 100_000, latency_seconds=0.0),
    )
    entry = run_entry(run, max_response_chars=100)
    assert len(json.dumps(entry)) < 5_000
    assert entry["reason"].startswith("r" * REASON_CHARS + "…")
    assert entry["evidence"].startswith('["ab", "ab"')
    assert entry["cut_chars"] > 500_000


def test_a_failure_carries_its_attempts_and_what_was_said() -> None:
    failure = EvidenceFailure(
        code=FailureCode.TIMEOUT,
        message="no answer within 3 s",
        attempts=2,
        transcript=(Message(role="user", content="hi"),),
    )
    run = Run(test_id="t", number=2, outcome="target_error", reason="no answer", failure=failure)
    entry = run_entry(run, max_response_chars=100)
    assert entry["failure"] == {
        "code": "timeout",
        "message": "no answer within 3 s",
        "status": None,
        "attempts": 2,
        "detail": "",
    }
    assert entry["transcript"] == [{"role": "user", "content": "hi"}]
    assert (entry["response"], entry["latency_seconds"]) == (None, None)


def test_times_are_utc_with_milliseconds() -> None:
    assert iso_time(1_772_443_800.1234) == "2026-03-02T09:30:00.123Z"


def test_secrets_go_from_every_text_and_from_the_keys_of_evidence() -> None:
    entry = a_run(
        reason=f"it said {SECRET}",
        evidence={SECRET: [SECRET], "n": 1},
        response=SECRET,
        transcript=[{"role": "user", "content": {"deep": SECRET}}],
    )
    cleaned = clean_entry(entry, Redactor([SECRET]))
    assert SECRET not in json.dumps(cleaned)
    assert cleaned["evidence"] == {"***": ["***"], "n": 1}


def test_a_pattern_never_breaks_what_holds_the_report_together() -> None:
    pattern = r"[a-z]+|\d+"
    redactor = Redactor([], [pattern])
    run = a_run("refund-policy/asks-7", reason="seven 7")
    cleaned = clean_entry(run, redactor)
    assert set(cleaned) == set(run)
    kept = ("test", "number", "outcome", "started")
    assert [cleaned[key] for key in kept] == [run[key] for key in kept]  # type: ignore[literal-required]  # its own keys
    assert cleaned["reason"] == "*** ***"
    document = a_document(a_group(a_test("refund-policy/asks-7")))
    again = clean_entry(document, redactor)["groups"][0]["tests"][0]
    original = document["groups"][0]["tests"][0]
    assert (again["id"], again["anchor"], again["result"]) == (
        original["id"],
        original["anchor"],
        original["result"],
    )
    assert again["name"] != original["name"]


def test_half_an_emoji_becomes_visible() -> None:
    cleaned = clean_entry(a_run(response="\ud83d", evidence={"\ud83d": "\ud83d"}), Redactor([]))
    json.dumps(cleaned, ensure_ascii=False).encode()
    assert "d83d" in (cleaned["response"] or "")
