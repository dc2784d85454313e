"""Which judge a calibration is of, and in what another one differs."""

import hashlib
import json
from collections.abc import Iterator, Mapping

from ci_judge.judges.addresses import USUAL_BASE_URLS, host_of
from ci_judge.judges.prompt import LATEST_VERSION, PromptVersion
from ci_judge.judges.prompt.template import prompt_template
from ci_judge.judges.settings import JudgeSettings
from ci_judge.judges.systemone import DEFAULT_INSTRUCTIONS
from ci_judge.settings import Settings
from ci_judge.workflows.calibration.file import JudgeKeys, SingleJudgeKeys

_IN_WORDS = frozenset({"anthropic", "openai"})
_NAMES = {
    "host": "the host of judge.base_url",
    "command_sha256": "judge.command",
    "prompt_version": "the version of the prompt",
    "prompt_sha256": "the prompt",
    "instructions_sha256": "judge.instructions",
}


def judge_keys(judge: JudgeSettings, answered: Mapping[int, tuple[str, ...]]) -> JudgeKeys:
    """Say who a judge is; ``answered`` are the models by the judge's place in the panel, from 1."""
    return JudgeKeys(
        panel_rule=judge.panel_rule if judge.panel else None,
        judges=tuple(
            _single(member, answered.get(place, ()))
            for place, member in enumerate(judge.members, start=1)
        ),
    )


def _single(judge: JudgeSettings, answered: tuple[str, ...]) -> SingleJudgeKeys:
    in_words = judge.provider in _IN_WORDS
    version = (judge.prompt_version or LATEST_VERSION) if in_words else None
    usual = USUAL_BASE_URLS.get(judge.provider)
    return SingleJudgeKeys(
        provider=judge.provider,
        model=judge.asked_model,
        models_answered=answered,
        host=None if usual is None else host_of(judge.base_url or usual),
        command_sha256=None if judge.command is None else _digest(_argv(judge)),
        temperature=judge.temperature,
        logprobs=judge.logprobs,
        prompt_version=version,
        prompt_sha256=_prompt_digest(judge, version),
        instructions_sha256=None if judge.instructions is None else _digest(judge.instructions),
        mode=judge.mode,
        threshold=judge.threshold.text,
        repetitions=judge.used_repetitions,
        minimum_pass_rate=judge.minimum_pass_rate.text,
    )


def _prompt_digest(judge: JudgeSettings, version: PromptVersion | None) -> str | None:
    """Digest our words to a judge, None where all of them are the user's own."""
    if version is not None:
        return _digest(dict(prompt_template(version).sections))
    if judge.provider == "systemone" and judge.instructions is None:
        return _digest(DEFAULT_INSTRUCTIONS)
    return None


def _argv(judge: JudgeSettings) -> list[str]:
    return [judge.command] if isinstance(judge.command, str) else list(judge.command or ())


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def criteria_instructions(settings: Settings) -> dict[str, str]:
    """Digest the instructions that single criteria have, by id."""
    return {
        name: _digest(criterion.instructions)
        for name, criterion in sorted(settings.criteria.items())
        if criterion.instructions is not None
    }


def differences(calibrated: JudgeKeys, now: JudgeKeys) -> Iterator[str]:
    """Say in what a judge differs from the one that was calibrated, models that answered apart."""
    if calibrated.panel_rule != now.panel_rule:
        yield f"judge.panel_rule is {now.panel_rule}, and was {calibrated.panel_rule}"
    if len(calibrated.judges) != len(now.judges):
        yield f"{len(now.judges)} judges sit in it, and there were {len(calibrated.judges)}"
        return
    pairs = zip(calibrated.judges, now.judges, strict=True)
    for place, (then, here) in enumerate(pairs, start=1):
        where = f"judge {place}: " if now.panel_rule else ""
        yield from (f"{where}{each}" for each in _single_differences(then, here))


def _single_differences(then: SingleJudgeKeys, now: SingleJudgeKeys) -> Iterator[str]:
    for key in SingleJudgeKeys.model_fields:
        before, here = getattr(then, key), getattr(now, key)
        if key == "models_answered" or before == here:
            continue
        name = _NAMES.get(key, f"judge.{key}")
        if key.endswith("sha256"):
            yield f"{name} is another than then"
        else:
            yield f"{name} is {_shown(here)}, and was {_shown(before)}"


def _shown(value: object) -> str:
    return "not set" if value is None else f'"{value}"' if isinstance(value, str) else str(value)
