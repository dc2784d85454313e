"""Texts that strangers would write, and reports that hold them wherever a stranger could."""

from typing import Any, get_args

from hypothesis import strategies as st

from ci_judge.model.document import ReportDocument, RunEntry
from ci_judge.model.judging import SuspicionKind
from tests.builders import (
    Runs,
    a_case,
    a_check,
    a_difference,
    a_group,
    a_member_vote,
    a_panel,
    a_report,
    a_rerun,
    a_run,
    a_skipped_test,
    a_test,
    a_together,
    a_trial,
    a_vote,
    earlier_results,
)

NASTY = (
    "\x1b[31mred\x1b[0m \x00 \x01 \x0b \x7f tab\there",
    "half an emoji \ud83d and the other \ude00 apart",
    "non-characters \ufffe \uffff \ufdd0 \U0001ffff",
    "bidi \u202egnp.exe\u202c \u2066x\u2069 zero\u200bwidth",
    "]]> <![CDATA[x]]></failure><testcase name='fake'/>&#0;",
    '<script>alert(1)</script>"><img src=x onerror=alert(1)>',
    "</style><style>*{display:none}</style></details></pre></textarea>&lt;b&gt;",
    "javascript:alert(1) <a href='javascript:alert(1)'>x</a>",
    "```\nfence\n```\n````\nlonger\n````\n~~~\ntilde\n~~~",
    "`" * 60,
    "`" * 120 + " @octo-user #1 <b> " + "`" * 119,
    "x\n" + "`" * 300 + "\n@octo-user <b>\n" + "`" * 301,
    "` `` ``` ```` ````` @octo-user",
    "a | b | c \\| d \\",
    "@octo-user @octo-org/team-a a@example.com #1 GH-12 octo-org/example#12 Fixes #12",
    "![x](https://example.com/x.png) [click](javascript:alert(1)) <https://example.com>",
    "https://example.com/x www.example.com :tada: 0123456789abcdef0123456789abcdef01234567",
    "::error file=a,line=1::boom\n##[error]boom\r::set-output name=x::y",
    "<!-- ci-judge key=x sha=y run=1 attempt=1 -->",
    "# heading\n- item\n1. one\n> quote\n---\n| a |\n| - |\n| b |",
    "**bold** _it_ ~~s~~ $x$ $`y`$ \\(z\\)",
    "\r\nline\rlone\n\n\n  \n",
    " ",
    "",
    "{{ 7 * 7 }} {% raw %} ${HOME} %s %(x)s",
    "word " * 400,
)

ALPHABET = "`~|\\<>&\"'@#:!*_[]()$-=\n\r\t \x00\x1b\x7f\u0085\u200b\u202e\ud83d\ufffe]éa1"

texts = st.one_of(
    st.sampled_from(NASTY),
    st.text(ALPHABET, max_size=60),
    st.lists(st.sampled_from(NASTY), max_size=3).map("".join),
)


def a_hostile_report(text: str, **changes: Any) -> tuple[ReportDocument, Runs]:
    """Build a report in which every free text is ``text``: passed, failed, undecided, skipped."""
    said: dict[str, Any] = {
        "name": text,
        "file": text,
        "tags": [text],
        "turns": [text, {text: [text]}],
    }
    wanted: dict[str, Any] = {
        "expected": [text, text],
        "suspicious": 1,
        "checks": [text],
        "history": [{"role": text, "content": text}],
    }
    failed = a_test("c/failed", passes=1, fails=2, **said, **wanted)
    error = a_test("c/error", passes=1, errors=1, **said, **wanted)
    waiver = {"reason": text, "owner": text, "expires": text, "file": text, "line": 1}
    passed = a_test("c/passed", passes=2, waiver=waiver, row=text, **said, **wanted)
    advisory = a_test(
        "c/advisory", fails=1, passes=0, advisory=True, waiver=waiver, row=text, **said
    )
    skipped = a_skipped_test("c/skipped", name=text, skip_reason=text)
    case = a_case("f.py::case", passes=0, fails=1, name=text, requirement=text)
    tests = [failed, error, passed, advisory, case]
    for test in tests:
        test["gate"] = {**test["gate"], "sentence": text, "needs": text, "threshold_text": text}
        for trouble in test["troubles"]:
            trouble["reason"] = text
        test["change"] = {
            "kind": "not_comparable" if test["result"] == "failed" else "newly_failing",
            "let_off": False,
            "result": "passed",
            "passes": 10,
            "judged": 10,
            "difference": a_difference(),
            "reasons": [text, text],
            "waiver": "new",
        }
        test["earlier"] = earlier_results("waived", "error")
    group = a_group(*tests[:4], skipped, id="c", title=text, description=text, file=text)
    cases = a_group(case, id="f.py", kind="cases", title=text, description="", file=text)
    defaults: dict[str, Any] = {
        "headline": text,
        "warnings": [text],
        "baseline": {
            "source": text,
            "problem": None,
            "commit": text,
            "url": text,
            "started": text,
            "age_seconds": 9_000.0,
            "note": text,
            "removed": [{"id": text, "name": text, "result": "passed"}],
            "weaker": [
                {"kind": "check", "was": text, "now": "", "tests": [text]},
                {"kind": "judge", "was": text, "now": text, "tests": []},
            ],
            "alpha": 0.05,
            "suite": a_together(),
            "criteria": [a_together(criterion=text)],
        },
        "judge": a_panel(
            text, text, provider=text, model=text, models_answered=[text], notice=text
        ),
        "runs": [run for test in tests for run in _hostile_runs(test["id"], text)],
    }
    document, runs = a_report(group, cases, a_group(id=f"bare {text}"), **(defaults | changes))
    where = document["run"]
    where["commit"] = where["branch"] = where["repository"] = where["url"] = text
    where["rerun"] = a_rerun("failed", None, anew=text, sentence=text)
    document["tool"]["version"] = text
    return document, runs


def _hostile_runs(test: str, text: str) -> list[RunEntry]:
    failure = {"code": text, "message": text, "status": 500, "attempts": 1, "detail": text}
    ruling = {"item": 1, "passed": False, "reason": text, "probability": 0.4, "draw": 0.5}
    told: dict[str, Any] = {
        "reason": text,
        "response": text,
        "evidence": {text: [text, 1.5, None]},
        "transcript": [{"role": role, "content": text} for role in ("user", "assistant", text)],
        "captured": [{"turn": 1, "context": text, "tools": [{text: [text, None]}]}],
        "checks": [a_check(passed=passed, wanted=text, found=text) for passed in (True, False)],
        "trials": [a_trial(passed=False, rulings=[ruling], judge=text)],
        "votes": [
            a_vote(passed=False, reason=text),
            a_vote(passed=None, members=[a_member_vote(text, passed=None, reason=text)]),
        ],
    }
    kinds = get_args(SuspicionKind)
    told["suspicious"] = [{"kind": kind, "found": text} for kind in kinds]
    return [
        a_run(test, 1, "fail", **told),
        a_run(test, 2, "judge_error", **told, failure=failure),
        a_run(test, 3, "pass", **told),
    ]
