"""Each judge that the documentation shows loads, and asks where and with the key that it should."""

import asyncio
import re
from pathlib import Path
from typing import Any

import httpx
import pytest

from ci_judge.judges.registry import build_judge
from ci_judge.model.judging import CaseQuestion
from ci_judge.settings import load_settings
from tests.wires import Script

PAGE = (Path(__file__).parents[2] / "docs/how-to/judges.md").read_text(encoding="utf-8")
SNIPPETS = {
    re.split(r"[ ;,\n]", text)[0]: f"judge: # {text}"
    for text in re.findall(r"^```yaml\njudge: # ([A-Z].*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
}
KEYS = {
    name: f"key-of-{name.lower()}"
    for name in (
        "ANTHROPIC_API_KEY",
        "AZURE_OPENAI_API_KEY",
        "OPENAI_API_KEY",
        "OPENROUTER_API_KEY",
        "TYPESAFE_API_KEY",
    )
}
ASKED: dict[str, tuple[str, dict[str, str]]] = {
    "Anthropic": (
        "https://api.anthropic.com/v1/messages",
        {"x-api-key": "key-of-anthropic_api_key", "anthropic-version": "2023-06-01"},
    ),
    "OpenAI": (
        "https://api.openai.com/v1/chat/completions",
        {"authorization": "Bearer key-of-openai_api_key"},
    ),
    "Azure": (
        (
            "https://my-shop.openai.azure.com/openai/deployments/my-judge/chat/completions"
            "?api-version=2024-10-21"
        ),
        {"api-key": "key-of-azure_openai_api_key"},
    ),
    "Ollama": ("http://localhost:11434/v1/chat/completions", {}),
    "OpenRouter": (
        "https://openrouter.ai/api/v1/chat/completions",
        {"authorization": "Bearer key-of-openrouter_api_key"},
    ),
    "TypeSafe": (
        "https://api.typesafe.ai/v1/systemone",
        {"authorization": "Bearer key-of-typesafe_api_key"},
    ),
}
KEY_HEADERS = {"authorization", "api-key", "x-api-key"}


def test_every_service_has_its_snippet() -> None:
    assert list(SNIPPETS) == list(ASKED)


@pytest.mark.parametrize("service", ASKED)
def test_the_snippet_asks_the_right_place_with_the_right_key(service: str, tmp_path: Path) -> None:
    (tmp_path / "ci-judge.yaml").write_text(SNIPPETS[service], encoding="utf-8")
    keys: dict[str, Any] = {} if service == "Ollama" else KEYS
    settings = load_settings(config=None, cwd=tmp_path, environment=keys, overrides={}).judge
    assert settings is not None
    script = Script([httpx.Response(400, json={})])
    judge = build_judge(
        settings, transport=script.transport(), environment=keys, nonce=lambda: "mark12345678"
    )
    asyncio.run(judge.judge(CaseQuestion(requirement="Is 80.", evidence=80)))
    (request,) = script.requests
    url, headers = ASKED[service]
    assert str(request.url) == url
    assert {name: request.headers[name] for name in headers} == headers
    assert request.headers.keys() & KEY_HEADERS == headers.keys() & KEY_HEADERS
    (body,) = script.bodies
    assert body["model"] == settings.model
    assert ("logprobs" in body) is settings.logprobs
