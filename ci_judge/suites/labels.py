"""Labels: responses that people marked, to hold a judge against (``calibration/``)."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ci_judge.errors import InvalidInput, Place, Problem
from ci_judge.file_schema import LoadedFile, load_yaml, problems_or, read_text
from ci_judge.model.evidence import Conversation, Reply
from ci_judge.model.suite import (
    Check,
    Criterion,
    Expectation,
    GateDefaults,
    GateKind,
    GateRule,
    JsonValue,
    Message,
    Scenario,
)
from ci_judge.rules.phrases import UnbalancedQuote, quoted_phrases
from ci_judge.suites.criteria import shown
from ci_judge.suites.label_file import FOLDER, LabelEntry, LabelHead
from ci_judge.suites.scenario_checks import UnfitCheck, check_of
from ci_judge.suites.scenario_file import TestKeys
from ci_judge.suites.scenario_source import Part, Setting, Source, nearest
from ci_judge.suites.scenario_text import eaten_words

_ONCE = GateRule(kind=GateKind.MISSES, runs=1, threshold=GateDefaults().threshold)
_YAML = ("*.yaml", "*.yml")


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """A labelled response as a scenario with one run, and the talk that is judged.

    ``passed`` is what a person says of it. The scenario's name is the label's own, or its message.
    """

    scenario: Scenario
    conversation: Conversation
    passed: bool
    note: str | None = None
    source: str | None = None


def find_label_files(root: Path, given: Sequence[Path]) -> tuple[Path, ...]:
    """Give the files to read: those given (folders searched all the way down), else all there are.

    Raises InvalidInput where there is none.
    """
    folders = given or (root / FOLDER,)
    found = [file for place in folders for file in _files_at(place)]
    if not found:
        named = ", ".join(f'"{shown(place, root=root)}"' for place in folders)
        raise InvalidInput.of(
            f"there are no labels: {named} holds no *.yaml",
            hint=f"write {FOLDER}/<criterion>.yaml with criterion: and cases:, or name the files",
        )
    return tuple(dict.fromkeys(found))


def _files_at(place: Path) -> list[Path]:
    if not place.is_dir():
        return [place] if place.exists() else []
    found = (file for pattern in _YAML for file in place.rglob(pattern))
    return sorted(file for file in found if file.is_file() and not file.name.startswith("."))


def load_labels(
    files: Sequence[Path], criteria: Sequence[Criterion], *, root: Path
) -> tuple[Label, ...]:
    """Read all files of labels, in order. Raises InvalidInput with the problems of all of them."""
    by_id = {criterion.id: criterion for criterion in criteria}
    problems: list[Problem] = []
    labels: list[Label] = []
    for path in files:
        try:
            source = _open(path, shown(path, root=root), by_id)
        except InvalidInput as error:
            problems += error.problems
            continue
        labels += _labels_of(source, problems)
    problems += _repeated(labels)
    if problems:
        raise InvalidInput(*problems)
    return tuple(labels)


def _repeated(labels: Sequence[Label]) -> Iterator[Problem]:
    """Yield the labels of a response that has one: copies tell nothing new of a judge."""
    first: dict[str, Label] = {}
    for label in labels:
        earlier = first.setdefault(_what_is_labelled(label), label)
        if earlier is not label:
            differs = "" if earlier.passed == label.passed else ", and with another verdict"
            yield Problem(
                message=f"this response is labelled already, at {earlier.scenario.place}{differs}",
                hint="keep one label of a response",
                place=label.scenario.place,
            )


def _what_is_labelled(label: Label) -> str:
    scenario = label.scenario
    asked = (scenario.criterion.id, scenario.expectations, scenario.checks)
    return repr((asked, label.conversation.transcript))


def _open(path: Path, file: str, criteria: Mapping[str, Criterion]) -> Source:
    loaded = load_yaml(read_text(path, file=file), file=file)
    if not isinstance(loaded.data, dict) or "cases" not in loaded.data:
        raise InvalidInput.of(
            'this is no file of labels: it has no "cases" at the top',
            hint="criterion: its id, and cases: with message, expected, response and verdict",
            place=Place(file=file),
        )
    head = problems_or(loaded, LabelHead)
    if isinstance(head, tuple):
        raise InvalidInput(*head)
    if not head.cases:
        raise InvalidInput.of("the list of cases is empty", place=loaded.place(("cases",)))
    return Source(
        loaded=loaded,
        folder=path.parent,
        criterion=_criterion(head.criterion, loaded, criteria),
        defaults=TestKeys(),
        setting=Setting(criteria=criteria, gate=GateDefaults(), targets=frozenset()),
    )


def _criterion(wanted: str, loaded: LoadedFile, criteria: Mapping[str, Criterion]) -> Criterion:
    found = criteria.get(wanted)
    if found is None:
        raise InvalidInput.of(
            f'there is no criterion "{wanted}"',
            hint=nearest(wanted, criteria),
            place=loaded.place(("criterion",)),
        )
    return found


def _labels_of(source: Source, problems: list[Problem]) -> Iterator[Label]:
    """Yield the sound labels of a file; what is wrong with the others joins ``problems``."""
    for number in range(len(source.loaded.data["cases"])):
        at = ("cases", number)
        entry = problems_or(source.loaded, LabelEntry, at=at)
        found = list(eaten_words(source.loaded, at))
        if isinstance(entry, tuple):
            problems += [*entry, *found]
            continue
        part = Part(source=source, at=at, label=f"case {number + 1}")
        label = _label(part, entry, number, found)
        problems += found
        if not found:
            yield label


def _label(part: Part, entry: LabelEntry, number: int, problems: list[Problem]) -> Label:
    source = part.source
    conversation = _conversation(entry)
    place = source.loaded.place(part.at)
    return Label(
        scenario=Scenario(
            id=f"{source.loaded.file}#{number + 1}",
            name=entry.name or _beginning(conversation),
            criterion=source.criterion,
            place=Place(file=place.file, line=place.line),
            gate=_ONCE,
            turns=tuple(
                message.content for message in conversation.transcript if message.role == "user"
            ),
            expectations=tuple(_expectations(part, entry, problems)),
            checks=tuple(_checks(part, entry, problems)),
        ),
        conversation=conversation,
        passed=entry.verdict == "pass",
        note=entry.note,
        source=entry.source,
    )


def _conversation(entry: LabelEntry) -> Conversation:
    if entry.turns is None:
        before = [Message(role="user", content=entry.message)]
    else:
        before = [Message(role=turn.role, content=turn.content) for turn in entry.turns]
    last = Message(role="assistant", content=entry.response)
    said = [message.content for message in (*before, last) if message.role == "assistant"]
    return Conversation(
        transcript=(*before, last),
        replies=tuple(
            Reply(text=_text(value), value=value, latency_seconds=0.0, attempts=0) for value in said
        ),
        replayed=True,
    )


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _beginning(conversation: Conversation) -> str:
    """Call a label by what the user said last."""
    asked = [message for message in conversation.transcript if message.role == "user"]
    return " ".join(_text(asked[-1].content).split())


def _expectations(part: Part, entry: LabelEntry, problems: list[Problem]) -> Iterator[Expectation]:
    for text in entry.expected:
        try:
            yield Expectation(text=text, phrases=quoted_phrases(text))
        except UnbalancedQuote as error:
            hint = "phrases stand between double quotes, always two of them"
            problems.append(part.problem("expected", f"cannot be read: {error}", hint=hint))


def _checks(part: Part, entry: LabelEntry, problems: list[Problem]) -> Iterator[Check]:
    for number, keys in enumerate(entry.checks or ()):
        try:
            yield check_of(keys, folder=part.source.folder)
        except UnfitCheck as error:
            problems.append(part.problem("checks", f"{keys.kind}: {error}", item=number))
