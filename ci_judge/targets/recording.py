"""A target that is asked once for each run of a scenario, and replayed from then on."""

from dataclasses import replace

from ci_judge.cache import Cache, digest
from ci_judge.model.evidence import Conversation, EvidenceFailure
from ci_judge.model.suite import Scenario
from ci_judge.protocols import Target
from ci_judge.targets.conversation_entries import conversation_entry, read_conversation


class RecordingTarget:
    """Replays whole conversations. Satisfies ``protocols.Target``.

    Test and run number belong to the key, so that repeats stay repeats: two runs never share a
    recording. A conversation is replayed from its first turn or held anew, because a live target
    would not remember turns that it was never sent. Failures are not recorded.
    """

    def __init__(self, target: Target, cache: Cache) -> None:
        self._target = target
        self._cache = cache

    def key(self, scenario: Scenario) -> bytes | None:
        return self._target.key(scenario)

    async def converse(
        self, scenario: Scenario, *, run_number: int
    ) -> Conversation | EvidenceFailure:
        """Give the recorded conversation of this run, or hold it."""
        material = self.key(scenario)
        if material is None:
            return await self._target.converse(scenario, run_number=run_number)
        key = digest("response", material.hex(), scenario.id, run_number)
        recorded = read_conversation(self._cache.recall(key))
        if recorded is not None:
            return _replayed(recorded)
        outcome = await self._target.converse(scenario, run_number=run_number)
        if isinstance(outcome, Conversation):
            self._cache.keep(key, conversation_entry(outcome))
        return outcome


def _replayed(recorded: Conversation) -> Conversation:
    """Mark it as a replay, which sent nothing; latencies stay those that were measured."""
    replies = tuple(replace(reply, attempts=0) for reply in recorded.replies)
    return replace(recorded, replies=replies, replayed=True)
