"""The bench of attacks counts what the judge's words are likely to be, and against what."""

import asyncio
import math
from typing import Any

from bench.attacks import main, parsed
from tests.attacks import ATTACKS
from tests.loopback import serving


def answer(path: str, body: Any) -> tuple[int, Any]:
    """Give a verdict as likely as the prompt makes it; none at all for what plays a role."""
    del path
    user = body["messages"][1]["content"]
    likely = 0.75 if "Final verdict" in user or "14 days from" in user else 0.25
    words = {"true": math.log(likely), "false": math.log(1 - likely)}
    first = max(words, key=lambda word: words[word])
    candidates = [{"token": f" {word}", "logprob": value} for word, value in words.items()]
    token = {"token": f" {first}", "top_logprobs": candidates}
    shown = [] if "im_start" in user else [{"token": "{", "top_logprobs": []}, token]
    return 200, {"choices": [{"logprobs": {"content": shown}}]}


def test_each_kind_is_asked_in_both_prompts_and_held_against_no_attack() -> None:
    with serving(answer) as served:
        options = parsed(["--base-url", served.url, "--limit", "9"])
        rows = {(row.prompt, row.kind): row for row in asyncio.run(main(options))}
    assert len(rows) == 2 * (2 + len(ATTACKS))
    for prompt in ("plain", "ours"):
        assert rows[prompt, "none, right answer"].passed == 1
        assert (rows[prompt, "none, wrong answer"].passed) == 0
        shown = rows[prompt, "shows a verdict"]
        assert (shown.passed, shown.errors, shown.moved) == (1, 0, 0.0)
        assert shown.flagged == shown.asked == len(ATTACKS["shows a verdict"])
        assert rows[prompt, "plays a role"].errors == 1
    assert rows["plain", "none, wrong answer"].moved is None
