"""What every judge is built from."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ci_judge.errors import InvalidInput
from ci_judge.judges.asking import THE_JUDGE, Asked, Line
from ci_judge.judges.habits import Habits
from ci_judge.judges.prompt import LATEST_VERSION, PromptWords
from ci_judge.judges.settings import JudgeSettings
from ci_judge.model.judging import JudgeIdentity
from ci_judge.processes import Workshop
from ci_judge.transport import Transport

if TYPE_CHECKING:
    from ci_judge.judges.chat import Manner
    from ci_judge.judges.chat_wire import ChatWire, Dialect


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeParts:
    """``key`` is None where no key is needed; ``nonce`` gives a fresh random text a call.

    ``habits`` are shared by all judges of a run; ``workshop`` runs judges that are commands;
    ``asked`` is what messages call the judge.
    """

    settings: JudgeSettings
    transport: Transport
    key: str | None
    nonce: Callable[[], str]
    habits: Habits = field(default_factory=Habits)
    workshop: Workshop | None = None
    asked: Asked = THE_JUDGE

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
            asked=self.asked,
        )

    def wire(self, dialect: "Dialect", line: Line, *, model: str) -> "ChatWire":
        from ci_judge.judges.chat_wire import ChatWire  # noqa: PLC0415 - most judges need none

        return ChatWire(
            dialect=dialect,
            line=line,
            habit=self.habits.of(line.url, model),
            max_tokens=self.settings.max_tokens,
        )

    def manner(self) -> "Manner":
        from ci_judge.judges.chat import Manner  # noqa: PLC0415 - likewise

        return Manner(
            words=PromptWords(
                version=self.settings.prompt_version or LATEST_VERSION,
                instructions=self.settings.instructions,
            ),
            nonce=self.nonce,
        )

    def chat_identity(self, model: str) -> JudgeIdentity:
        return JudgeIdentity(
            provider=self.settings.provider,
            model=model,
            wire="probability" if self.settings.gives_likelihoods else "boolean",
            prompt_version=self.settings.prompt_version or LATEST_VERSION,
            temperature=self.settings.temperature,
        )
