"""What every judge is built from."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ci_judge.errors import InvalidInput
from ci_judge.judges.asking import Line
from ci_judge.judges.chat import Manner
from ci_judge.judges.prompt import PROMPT_VERSION
from ci_judge.judges.settings import JudgeSettings
from ci_judge.model.judging import JudgeIdentity
from ci_judge.transport import Transport


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeParts:
    """``key`` is None where no key is needed; ``nonce`` gives a fresh random text a call."""

    settings: JudgeSettings
    transport: Transport
    key: str | None
    nonce: Callable[[], str]

    def needed_model(self) -> str:
        """Return the model. Raises InvalidInput when none is set."""
        if not self.settings.model:
            raise InvalidInput.of(
                f"the judge '{self.settings.provider}' needs a model", hint="set judge.model"
            )
        return self.settings.model

    def line(self, url: str, headers: Mapping[str, str]) -> Line:
        return Line(
            url=url,
            headers=headers,
            timeout_seconds=self.settings.timeout,
            retries=self.settings.retries,
            transport=self.transport,
        )

    def manner(self) -> Manner:
        return Manner(
            max_tokens=self.settings.max_tokens,
            instructions=self.settings.instructions,
            nonce=self.nonce,
        )

    def chat_identity(self, model: str) -> JudgeIdentity:
        return JudgeIdentity(
            provider=self.settings.provider,
            model=model,
            wire="boolean",
            prompt_version=PROMPT_VERSION,
            temperature=self.settings.temperature,
        )
