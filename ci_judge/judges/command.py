"""A program of the user's as judge: one process a question, JSON in, JSON out."""

from typing import Any

from ci_judge.cache import digest
from ci_judge.errors import InvalidInput
from ci_judge.judges.captured import captured_evidence
from ci_judge.judges.command_reply import read_command_reply
from ci_judge.judges.parts import JudgeParts
from ci_judge.judges.reply import ReplyProblem
from ci_judge.model.evidence import FailureCode
from ci_judge.model.judging import (
    Answer,
    JudgeFailure,
    JudgeIdentity,
    Question,
    ScenarioQuestion,
)
from ci_judge.processes import CommandTrouble, Output, Trade, Workshop, last_words
from ci_judge.visible_text import one_line

SECTION = "judge.command"
_MESSAGE_CHARS = 600
_RAW_CHARS = 20_000


def build_command(parts: JudgeParts) -> "CommandJudge":
    """Build the judge. Raises InvalidInput for a command that cannot be run."""
    settings, workshop = parts.settings, parts.workshop
    if settings.command is None or workshop is None:
        raise InvalidInput.of("the judge 'command' needs judge.command")
    trade = workshop.trade(
        settings.command, names=settings.env, section=SECTION, timeout_seconds=settings.timeout
    )
    return CommandJudge(
        identity=JudgeIdentity(provider="command", model=settings.model, wire="boolean"),
        workshop=workshop,
        trade=trade,
        instructions=settings.instructions,
    )


class CommandJudge:
    """Asks a program. What it writes is a verdict, or how likely one is."""

    def __init__(
        self,
        *,
        identity: JudgeIdentity,
        workshop: Workshop,
        trade: Trade,
        instructions: str | None,
    ) -> None:
        self._identity = identity
        self._workshop = workshop
        self._trade = trade
        self._instructions = instructions
        self._fingerprint = workshop.fingerprint(trade)

    @property
    def identity(self) -> JudgeIdentity:
        return self._identity

    async def judge(self, question: Question) -> Answer | JudgeFailure:
        """Run the command once; what it does wrong is never tried again."""
        outcome = await self._workshop.run(self._trade, self._material(question))
        if isinstance(outcome, CommandTrouble):
            return _failure(outcome.code, outcome.message, raw=outcome.output)
        text = outcome.stdout.decode("utf-8", "replace")
        opinions = read_command_reply(text, items=question.items)
        if isinstance(opinions, ReplyProblem):
            return self._unreadable(opinions, outcome)
        return Answer(
            opinions=opinions,
            model=self._identity.model,
            latency_seconds=outcome.seconds,
            raw=text,
        )

    def key(self, question: Question) -> bytes | None:
        """Digest the command, the files it names, its own variables, and what it would be told."""
        return digest(
            self._identity.provider,
            self._identity.model,
            self._fingerprint,
            self._material(question),
        )

    def _material(self, question: Question) -> dict[str, Any]:
        return {**_asked(question), **_instructed(question, self._instructions)}

    def _unreadable(self, problem: ReplyProblem, outcome: Output) -> JudgeFailure:
        message = f"{self._trade.section}: {problem.message}{last_words(outcome.stderr)}"
        raw = self._workshop.shown(outcome.stdout)
        return _failure(FailureCode.UNREADABLE_VERDICT, message, raw=raw)


def _failure(code: FailureCode, message: str, *, raw: str) -> JudgeFailure:
    return JudgeFailure(
        code=code,
        message=one_line(message, limit=_MESSAGE_CHARS),
        requests=0 if code is FailureCode.BUDGET else 1,
        raw=raw[:_RAW_CHARS],
    )


def _asked(question: Question) -> dict[str, Any]:
    if not isinstance(question, ScenarioQuestion):
        return {"requirement": question.requirement, "evidence": question.evidence}
    criterion, conversation = question.criterion, question.conversation
    expected = [expectation.text for expectation in question.expectations]
    return {
        "criterion": f"{criterion.title}\n\n{criterion.description}".strip(),
        "expected": expected[0] if len(expected) == 1 else expected,
        "conversation": [{"role": m.role, "content": m.content} for m in conversation.transcript],
        "response": conversation.response,
        **captured_evidence(conversation),
    }


def _instructed(question: Question, instructions: str | None) -> dict[str, str]:
    own = question.criterion.instructions if isinstance(question, ScenarioQuestion) else None
    text = "\n\n".join(filter(None, (instructions, own)))
    return {"instructions": text} if text else {}
