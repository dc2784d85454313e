"""Keeps of a model's scenarios what would load from a file by hand, each message once."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ci_judge.errors import InvalidInput
from ci_judge.model.suite import Criterion, GateDefaults, Message, ScenarioKind
from ci_judge.rules.phrases import UnbalancedQuote, negated_phrases
from ci_judge.suites.criteria import slug
from ci_judge.suites.scenario_source import Setting
from ci_judge.suites.scenarios import scenarios_in
from ci_judge.visible_text import no_lone_surrogates
from ci_judge.workflows.drafts import Draft
from ci_judge.workflows.scenario_yaml import scenario_yaml

_TEXTS = ("name", "message", "expected")
_NAME_CHARS = 50  # leaves room in the id for a number that tells two names apart
_MOST_NUMBERS = 1_000
_KINDS: dict[str, ScenarioKind] = {"happy_path": "happy_path", "edge_case": "edge_case"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sifted:
    """The drafts that can be used, and a sentence about each entry that cannot."""

    drafts: tuple[Draft, ...]
    dropped: tuple[str, ...]


class Unfit(Exception):
    """Says why an entry is no scenario."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sieve:
    """What all entries of one reply have in common. ``clean`` takes the secrets out of a text."""

    criterion: Criterion
    adversarial: bool
    clean: Callable[[str], str]

    def sifted(self, entries: Iterable[Any], *, most: int) -> Sifted:
        """Return up to ``most`` drafts in the order of the entries."""
        drafts: list[Draft] = []
        dropped: list[str] = []
        for number, entry in enumerate(entries, start=1):
            if len(drafts) == most:
                break
            try:
                drafts.append(self._draft(entry, drafts))
            except Unfit as why:
                dropped.append(f"scenario {number} of the reply is left out: {why}")
        return Sifted(drafts=tuple(drafts), dropped=tuple(dropped))

    def _draft(self, entry: Any, earlier: Sequence[Draft]) -> Draft:
        name, message, expected = (self._text(entry, key) for key in _TEXTS)
        if _folded(message) in {_folded(draft.message) for draft in earlier}:
            raise Unfit("its message is one that is there already")
        draft = Draft(
            name=name,
            kind="adversarial" if self.adversarial else _kind(entry),
            message=message,
            expected=expected,
            history=tuple(self._history(entry)),
        )
        self._must_load(draft)
        return replace(draft, name=_unused_name(name, {slug(each.name) for each in earlier}))

    def _text(self, entry: Any, key: str) -> str:
        value = entry.get(key) if isinstance(entry, dict) else None
        if not isinstance(value, str) or not value.strip():
            raise Unfit(f"{key} is no text")
        return self.clean(no_lone_surrogates(value))

    def _history(self, entry: dict[str, Any]) -> Iterable[Message]:
        turns = entry.get("history") or []
        if not isinstance(turns, list):
            raise Unfit("history is no list")
        for turn in turns:
            role = turn.get("role") if isinstance(turn, dict) else None
            if role not in ("user", "assistant", "system"):
                raise Unfit("history holds a turn of nobody")
            yield Message(role=role, content=self._text(turn, "content"))

    def _must_load(self, draft: Draft) -> None:
        """Read the draft back as it would be written. Raises Unfit for what no file may hold."""
        try:
            if negated_phrases(draft.expected):
                raise Unfit("expected quotes what must not be said, and a quoted text must be")
            _read_back(scenario_yaml(self.criterion.id, [draft], header=()), self.criterion)
        except UnbalancedQuote as error:
            raise Unfit(f"expected cannot be read: {error}") from error
        except InvalidInput as error:
            raise Unfit(error.problems[0].message) from error


def _read_back(text: str, criterion: Criterion) -> None:
    """Read a scenario file's text as ``run`` does. Raises InvalidInput."""
    setting = Setting(criteria={criterion.id: criterion}, gate=GateDefaults(), targets=frozenset())
    scenarios_in(text, file="the reply", folder=Path(), setting=setting)


def _kind(entry: dict[str, Any]) -> ScenarioKind:
    kind = entry.get("kind")
    return _KINDS.get(kind, "custom") if isinstance(kind, str) else "custom"


def _folded(message: str) -> str:
    return " ".join(message.casefold().split())


def _unused_name(name: str, taken: set[str]) -> str:
    """Give a number to a name whose id is taken, because ids are made of names."""
    numbered = (f"{name[:_NAME_CHARS].rstrip()} {number}" for number in range(2, _MOST_NUMBERS))
    return next(each for each in (name, *numbered) if slug(each) not in taken)
