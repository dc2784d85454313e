"""Who writes scenarios: the stub from the criterion's own words, or a model."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from ci_judge.errors import InvalidInput, Problem
from ci_judge.judges.anthropic import anthropic_wire
from ci_judge.judges.asking import Asked
from ci_judge.judges.chat_wire import ChatWire
from ci_judge.judges.keys import find_key, missing_key
from ci_judge.judges.openai import openai_wire
from ci_judge.judges.parts import JudgeParts
from ci_judge.judges.settings import JudgeSettings
from ci_judge.model.judging import JudgeFailure
from ci_judge.model.suite import Criterion
from ci_judge.transport import Transport
from ci_judge.visible_text import one_line
from ci_judge.workflows.drafting.letter import PROMPT_VERSION, write_letter
from ci_judge.workflows.drafting.listing import read_listing
from ci_judge.workflows.drafting.sifting import Sieve
from ci_judge.workflows.drafts import Draft, draft_scenarios

_WRITER = Asked(
    name="the model",
    section="generate",
    more_room="ask for fewer scenarios: generate.scenarios_per_criterion",
)
_WIRES: Mapping[str, Callable[[JudgeParts], ChatWire]] = {
    "anthropic": anthropic_wire,
    "openai": openai_wire,
}
_LONGEST_NAME_CHARS = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """How many scenarios are wanted of each criterion, and of what sort."""

    count: int
    adversarial: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Drafted:
    """Drafts of one criterion. ``origin`` is a line about who wrote them, when it can differ.

    ``dropped`` holds a sentence for each scenario that could not be used, and one for those that
    never came.
    """

    drafts: tuple[Draft, ...]
    origin: str | None = None
    dropped: tuple[str, ...] = ()


class Writer(Protocol):
    """Writes scenarios for one criterion, or says why there are none."""

    async def write(self, criterion: Criterion, order: Order) -> Drafted | Problem: ...


class StubWriter:
    """Writes offline, always the same for the same words."""

    async def write(self, criterion: Criterion, order: Order) -> Drafted | Problem:
        drafts = draft_scenarios(criterion, count=order.count, adversarial=order.adversarial)
        return Drafted(drafts=drafts)


class ModelWriter:
    """Has a model write, one request a criterion. ``clean`` takes secrets out of its texts."""

    def __init__(
        self,
        settings: JudgeSettings,
        *,
        wire: ChatWire,
        nonce: Callable[[], str],
        clean: Callable[[str], str],
    ) -> None:
        self._settings = settings
        self._wire = wire
        self._nonce = nonce
        self._clean = clean

    async def write(self, criterion: Criterion, order: Order) -> Drafted | Problem:
        """Ask, and keep what can be used; a problem when that is nothing at all."""
        letter = write_letter(
            criterion, count=order.count, adversarial=order.adversarial, nonce=self._nonce
        )
        reply = await self._wire.put(letter, lambda words, _: read_listing(words))
        if isinstance(reply, JudgeFailure):
            return _failed(criterion, reply.message)
        sieve = Sieve(criterion=criterion, adversarial=order.adversarial, clean=self._clean)
        sifted = sieve.sifted(reply.value, most=order.count)
        if not sifted.drafts:
            return _failed(criterion, "; ".join(sifted.dropped))
        return Drafted(
            drafts=sifted.drafts,
            origin=self._origin(reply.said.model),
            dropped=(*_shortage(len(reply.value), order), *sifted.dropped),
        )

    def _origin(self, answered: str | None) -> str:
        provider, asked = self._settings.provider, self._settings.model or ""
        line = (
            f"Provider: {provider}; model asked: {asked}; model that answered: "
            f"{one_line(answered or 'not named', limit=_LONGEST_NAME_CHARS)}; "
            f"prompt {PROMPT_VERSION}."
        )
        return self._clean(line)


def model_writer(
    settings: JudgeSettings,
    *,
    transport: Transport,
    environment: Mapping[str, str],
    nonce: Callable[[], str],
    clean: Callable[[str], str],
) -> ModelWriter:
    """Build the writer that the section ``generate`` names.

    Raises InvalidInput for a key that is missing or cannot be one.
    """
    problem = missing_key(settings, environment, section=_WRITER.section)
    if problem is not None:
        raise InvalidInput(problem)
    parts = JudgeParts(
        settings=settings,
        transport=transport,
        key=find_key(settings, environment),
        nonce=nonce,
        asked=_WRITER,
    )
    return ModelWriter(settings, wire=_WIRES[settings.provider](parts), nonce=nonce, clean=clean)


def _shortage(listed: int, order: Order) -> tuple[str, ...]:
    if listed >= order.count:
        return ()
    return (f"the reply holds {listed} of the {order.count} scenarios that were asked for",)


def _failed(criterion: Criterion, why: str) -> Problem:
    return Problem(message=f'no scenarios for "{criterion.id}": {why}', place=criterion.place)
