"""What a scenario file may hold: its keys, types and meanings."""

import re
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from ci_judge.file_schema import (
    Count,
    DottedPath,
    FileModel,
    FilledText,
    Json,
    ListOf,
    Rate,
    Seconds,
    Text,
    TextOrList,
    Wanted,
    WrittenJson,
    wrong,
)
from ci_judge.model.suite import Role, ScenarioKind

MOST_RUNS = 10_000
_ID_LIMIT_CHARS = 200
_UNFIT_IN_ID = re.compile(r"[\x00-\x1f\x7f\u2028\u2029]")


def _fit_id(text: str) -> str:
    if _UNFIT_IN_ID.search(text) or text != text.strip() or len(text) > _ID_LIMIT_CHARS:
        raise wrong(f"must be one line of at most {_ID_LIMIT_CHARS} characters")
    return text


def _filled(text: str) -> str:
    if not text.strip():
        raise wrong("is empty: say why")
    return text


def _one_line(text: str) -> str:
    return " ".join(text.split())


class HistoryEntry(FileModel):
    """One earlier turn of a conversation."""

    role: Role = Field(description="Who said it: user, assistant or system.")
    content: WrittenJson = Field(description="What was said; any JSON value for other targets.")


class JsonPathKeys(FileModel):
    """A value that must stand somewhere in a JSON answer."""

    path: DottedPath = Field(description="Dotted path with list indexes: items.0.price")
    equals: Json = Field(description="The JSON value that must stand there.")


class CheckKeys(FileModel):
    """One check: a map of exactly one key."""

    contains: FilledText | None = Field(
        default=None, description="Text that an answer must hold, ignoring case."
    )
    not_contains: FilledText | None = Field(
        default=None, description="Text that no answer may hold, ignoring case."
    )
    regex: Text | None = Field(
        default=None, description="A regular expression that must be found in an answer."
    )
    equals: Json = Field(
        default=None, description="The last answer, exactly; what is no text is compared as JSON."
    )
    json_schema: dict[str, Any] | FilledText | None = Field(
        default=None,
        description="A JSON Schema, or the path of one from this file; the last answer is JSON.",
    )
    json_path: JsonPathKeys | None = Field(
        default=None, description="A value at a place in the last answer, which is JSON."
    )
    max_latency: Seconds | None = Field(
        default=None, description="The longest time that an answer may take: 3s, 500ms."
    )
    max_chars: Count | None = Field(
        default=None, description="The most characters that an answer may have."
    )

    max_cost: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = Field(
        default=None, description="The most USD that the answers of a run may cost (target.usage)."
    )

    @model_validator(mode="after")
    def _one_key(self) -> Self:
        given = self.model_fields_set
        if len(given) != 1:
            raise wrong("must have exactly one key", hint="begin each check with a dash of its own")
        key = next(iter(given))
        if key != "equals" and getattr(self, key) is None:
            raise wrong("has no value", key=key)
        return self


class TestKeys(FileModel):
    """What a scenario may say and a file's ``defaults`` may say for all its scenarios."""

    __test__ = False  # for pytest, which collects what is called Test

    kind: ScenarioKind | None = Field(
        default=None, description="happy_path, edge_case, adversarial or custom (the default)."
    )
    history: ListOf[HistoryEntry] | None = Field(
        default=None, description="Earlier turns, given to the target with every message."
    )
    checks: ListOf[CheckKeys] | None = Field(
        default=None, description="Exact checks, free, made before any judge is asked."
    )
    runs: Annotated[int, Field(ge=1, le=MOST_RUNS)] | None = Field(
        default=None, description="How often the scenario is run."
    )
    threshold: Rate | None = Field(
        default=None, description="The pass rate that the gate asks for, such as 0.8 or 2/3."
    )
    gate: Literal["lower_bound", "exact", "rate", "misses"] | None = Field(
        default=None, description="How the runs decide: lower_bound, exact, rate or misses."
    )
    misses: Count | None = Field(
        default=None, description="The most runs that may fail; given alone it means gate: misses."
    )
    tags: TextOrList | None = Field(default=None, description="Words to select tests by (-m).")
    target: FilledText | None = Field(
        default=None, description="Which of the configuration's targets to ask."
    )
    advisory: bool | None = Field(default=None, description="True: reported, but never gating.")
    skip: Annotated[str, AfterValidator(_filled), Wanted("the reason, as text")] | None = Field(
        default=None, description="Why the scenario is not run for now."
    )


class ScenarioEntry(TestKeys):
    """One scenario: what is said to the target, and what its answers must be."""

    id: Annotated[FilledText, AfterValidator(_fit_id)] | None = Field(
        default=None, description="Unique over the suite; else <criterion>/<slug of the name>."
    )
    name: Annotated[FilledText, AfterValidator(_one_line)] = Field(
        description="What happens in it, in a few words."
    )
    message: WrittenJson = Field(
        default=None, description="What the user says; any JSON value for other targets."
    )
    turns: ListOf[WrittenJson] | None = Field(
        default=None,
        description="Several messages instead of one, each answered before the next is sent.",
    )
    expected: TextOrList | None = Field(
        default=None,
        description='What must be true of the answer, one text or several; "quoted" is literal.',
    )


class ScenarioHead(FileModel):
    """A scenario file, its scenarios not looked at yet."""

    criterion: FilledText = Field(description="The id of the criterion that the scenarios test.")
    defaults: TestKeys = Field(
        default=TestKeys(), description="What holds for each scenario that does not say otherwise."
    )
    scenarios: ListOf[Any] = Field(description="The scenarios, in the order of the reports.")


class ScenarioFile(ScenarioHead):
    """A file of scenarios that test one criterion."""

    scenarios: ListOf[ScenarioEntry] = Field(
        description="The scenarios, in the order of the reports."
    )
