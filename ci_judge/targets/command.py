"""A program under test: one process a turn, JSON in, its answer out."""

import json
from dataclasses import replace
from typing import Any

from ci_judge.cache import digest
from ci_judge.model.evidence import Conversation, EvidenceFailure, FailureCode, Reply
from ci_judge.model.suite import JsonValue, Message, Scenario
from ci_judge.processes import CommandTrouble, Output, Workshop, last_words
from ci_judge.rules.json_paths import Found, look_up
from ci_judge.targets.capture import captured
from ci_judge.targets.settings import TargetSettings
from ci_judge.targets.told import told_by
from ci_judge.targets.usage import answer_cost
from ci_judge.transport import parse_json
from ci_judge.visible_text import one_line

_MESSAGE_CHARS = 600
_EXCERPT_CHARS = 200
_DETAIL_CHARS = 4_000


class CommandTarget:
    """A ``target`` section with a ``command``. Satisfies ``protocols.Target``.

    ``section`` names it in messages ("target.command"). Building it raises InvalidInput for a
    command that cannot be run.
    """

    def __init__(self, settings: TargetSettings, *, workshop: Workshop, section: str) -> None:
        self._settings = settings
        self._workshop = workshop
        self._trade = workshop.trade(
            settings.command or "",
            names=settings.env,
            section=section,
            timeout_seconds=settings.timeout,
        )
        self._fingerprint = workshop.fingerprint(self._trade)

    async def converse(
        self, scenario: Scenario, *, run_number: int
    ) -> Conversation | EvidenceFailure:
        """Start the program once a turn. It is told what was said before, and the run's number."""
        said = list(scenario.history)
        replies: list[Reply] = []
        for turn in scenario.turns:
            outcome = await self._workshop.run(self._trade, _material(turn, said, run_number))
            said.append(Message(role="user", content=turn))
            reply = self._read(outcome)
            if isinstance(reply, EvidenceFailure):
                return replace(
                    reply,
                    attempts=len(replies) + (reply.code is not FailureCode.BUDGET),
                    transcript=tuple(said),
                    priced=self._settings.usage is not None,
                )
            replies.append(reply)
            said.append(Message(role="assistant", content=reply.value))
        return Conversation(transcript=tuple(said), replies=tuple(replies))

    def key(self, scenario: Scenario) -> bytes | None:
        """Digest the command, the files it names, its own variables, and what it is told."""
        return digest(
            self._fingerprint,
            self._settings.response_path,
            self._settings.model_dump(mode="json", include={"usage", "capture"}),
            [[past.role, past.content] for past in scenario.history],
            scenario.turns,
        )

    def _read(self, outcome: Output | CommandTrouble) -> Reply | EvidenceFailure:
        if isinstance(outcome, CommandTrouble):
            # Nothing written is what an empty body is to an endpoint: there is no response.
            empty = outcome.code is FailureCode.EMPTY
            code = FailureCode.NO_RESPONSE if empty else outcome.code
            return _failure(code, outcome.message, detail=outcome.output)
        try:
            value = self._value_of(outcome.stdout)
        except _NoAnswer as problem:
            text = self._workshop.shown(outcome.stdout)
            excerpt = " ".join(text[:_EXCERPT_CHARS].split())
            said = f'; the output: "{excerpt}"{last_words(outcome.stderr)}'
            message = f"{self._trade.section}: {problem}{said}"
            return _failure(problem.code, message, detail=text)
        text = value if isinstance(value, str) else _compact(value)
        told = told_by(_document(outcome.stdout))
        more = captured(self._settings.capture, told)
        return Reply(
            text=text,
            value=value,
            latency_seconds=outcome.seconds,
            priced=self._settings.usage is not None,
            cost_usd=answer_cost(self._settings.usage, told, 1),
            context=more.context,
            tools=more.tools,
        )

    def _value_of(self, stdout: bytes) -> JsonValue:
        try:
            text = stdout.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise _NoAnswer(FailureCode.UNREADABLE_REPLY, "the output is not UTF-8") from None
        path = self._settings.response_path
        if path is None:
            return text.rstrip("\r\n")
        return _at_path(_json(text), path)


class _NoAnswer(Exception):
    """Says why what a program wrote is no answer."""

    def __init__(self, code: FailureCode, why: str) -> None:
        super().__init__(why)
        self.code = code


def _document(stdout: bytes) -> JsonValue:
    """Return the output as JSON, None when it is none: usage and what is captured stand in it."""
    try:
        return _json(stdout.decode("utf-8-sig", "replace"))
    except _NoAnswer:
        return None


def _material(turn: JsonValue, said: list[Message], run_number: int) -> dict[str, Any]:
    return {
        "message": turn,
        "history": [{"role": past.role, "content": past.content} for past in said],
        "run": run_number,
    }


def _failure(code: FailureCode, message: str, *, detail: str) -> EvidenceFailure:
    shown = one_line(message, limit=_MESSAGE_CHARS)
    return EvidenceFailure(code=code, message=shown, detail=detail[:_DETAIL_CHARS])


def _json(text: str) -> JsonValue:
    try:
        value: JsonValue = parse_json(text.encode(), content_type="")
    except ValueError:
        why = "the output is not JSON; to take it as text, remove response_path"
        raise _NoAnswer(FailureCode.UNREADABLE_REPLY, why) from None
    return value


def _at_path(value: JsonValue, path: str) -> JsonValue:
    found = look_up(value, path)
    if isinstance(found, Found) and found.value is not None:
        return found.value
    what = " holds null" if isinstance(found, Found) else f": {found}"
    raise _NoAnswer(FailureCode.NO_RESPONSE, f'response_path "{path}"{what}')


def _compact(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
