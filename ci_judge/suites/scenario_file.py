"""What a scenario file may hold: its keys, types and meanings."""

import re
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import AfterValidator, ConfigDict, Field, model_validator

from ci_judge.file_schema import (
    Count,
    DottedPath,
    FileModel,
    FilledText,
    Json,
    ListOf,
    Rate,
    Runs,
    Seconds,
    TextOrList,
    Wanted,
    WrittenJson,
    wrong,
)
from ci_judge.model.suite import CheckPlace, Role, ScenarioKind

_ID_LIMIT_CHARS = 200
_UNFIT_IN_ID = re.compile(r"[\x00-\x1f\x7f\u2028\u2029]")


def unfit_id(text: str) -> str | None:
    """Say what an id must be, where a text is none."""
    if _UNFIT_IN_ID.search(text) or text != text.strip() or len(text) > _ID_LIMIT_CHARS:
        return f"must be one line of at most {_ID_LIMIT_CHARS} characters"
    return None


def _fit_id(text: str) -> str:
    unfit = unfit_id(text)
    if unfit is not None:
        raise wrong(unfit)
    return text


def _filled(text: str) -> str:
    if not text.strip():
        raise wrong("is empty: say why")
    return text


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _one_a_tag(tags: tuple[str, ...]) -> tuple[str, ...]:
    """Refuse what was meant as a list: no -m would ever find it."""
    for tag in tags:
        if "," in tag:
            raise wrong(f'holds a comma: "{tag}"', hint=f"write [{tag}]")
    return tags


class HistoryEntry(FileModel):
    """One earlier turn of a conversation."""

    role: Role = Field(description="Who said it: user, assistant or system.")
    content: WrittenJson = Field(description="What was said; any JSON value for other targets.")

    @model_validator(mode="before")
    @classmethod
    def _says_its_role(cls, data: Any) -> Any:
        """Tell those who write the role as the key what to write, in one line."""
        if isinstance(data, dict) and len(data) == 1:
            (key,) = data
            if key in get_args(Role):
                hint = f"write role: {key} and content: beside each other"
                raise wrong(f'has the key "{key}"', hint=hint)
        return data


class JsonPathKeys(FileModel):
    """A value that must stand somewhere in a JSON answer."""

    path: DottedPath = Field(description="Dotted path with list indexes: items.0.price")
    equals: Json = Field(description="The JSON value that must stand there.")


_LOOK_INSIDE = frozenset(
    {"contains", "not_contains", "regex", "equals", "json_schema", "json_path"}
)
"""The checks that can look at what a target's ``capture`` found."""


def _check_schema(schema: dict[str, Any]) -> None:
    """Say in the JSON Schema that there is one check, and beside which ``in`` may stand."""
    kinds = [name for name in schema["properties"] if name != "in"]
    schema["oneOf"] = [{"required": [name]} for name in kinds]
    schema["dependentSchemas"] = {
        "in": {"anyOf": [{"required": [name]} for name in kinds if name in _LOOK_INSIDE]}
    }


class CheckKeys(FileModel):
    """One check: a map of exactly one key, and perhaps ``in``."""

    model_config = ConfigDict(json_schema_extra=_check_schema)

    contains: FilledText | None = Field(
        default=None, description="Text that an answer must hold, ignoring case."
    )
    not_contains: FilledText | None = Field(
        default=None, description="Text that no answer may hold, ignoring case."
    )
    regex: FilledText | None = Field(
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
    tools_called: TextOrList | None = Field(
        default=None,
        description="Names of tools, called in this order, others between them or not; "
        "[] for none at all (target.capture.tools).",
    )
    inside: CheckPlace | None = Field(
        default=None,
        alias="in",
        description="Look at what target.capture found instead of the answer: tools or context.",
    )

    @model_validator(mode="after")
    def _one_key(self) -> Self:
        given = self.model_fields_set - {"inside"}
        if len(given) != 1:
            raise wrong("must have exactly one key", hint="begin each check with a dash of its own")
        if self.kind != "equals" and getattr(self, self.kind) is None:
            raise wrong("has no value", key=self.kind)
        if "inside" in self.model_fields_set and self.kind not in _LOOK_INSIDE:
            raise wrong(f"does not go with {self.kind}", hint="remove it", key="in")
        return self

    @property
    def kind(self) -> str:
        """The key of the check itself."""
        return next(iter(self.model_fields_set - {"inside"}))


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
    runs: Runs | None = Field(
        default=None, description="How often the scenario is run; {min, max} if gate is adaptive."
    )
    threshold: Rate | None = Field(
        default=None, description="The pass rate that the gate asks for, such as 0.8 or 2/3."
    )
    gate: Literal["lower_bound", "exact", "adaptive", "rate", "misses", "corrected"] | None = Field(
        default=None,
        description="How the runs decide: lower_bound, exact, adaptive, rate, misses, corrected.",
    )
    misses: Count | None = Field(
        default=None, description="The most runs that may fail; given alone it means gate: misses."
    )
    tags: Annotated[TextOrList, AfterValidator(_one_a_tag)] | None = Field(
        default=None, description="Words to select tests by (-m)."
    )
    target: FilledText | None = Field(
        default=None, description="Which of the configuration's targets to ask."
    )
    advisory: bool | None = Field(default=None, description="True: reported, but never gating.")
    skip: Annotated[str, AfterValidator(_filled), Wanted("the reason, as text")] | None = Field(
        default=None, description="Why the scenario is not run for now."
    )


MOST_ROWS = 100_000
"""Tests that one dataset may become."""


class DatasetKeys(FileModel):
    """What makes a scenario a template: the file whose rows fill it, and how many of them."""

    rows_from: FilledText | None = Field(
        default=None,
        alias="from",
        description="A .jsonl or .csv file, from this one: a test for each row, which fills every "
        "{{column}} in name, message, turns, history, expected and checks.",
    )
    limit: Annotated[int, Field(ge=1, le=MOST_ROWS)] | None = Field(
        default=None, description="Take the first so many rows."
    )
    sample: Annotated[int, Field(ge=1, le=MOST_ROWS)] | None = Field(
        default=None, description="Draw so many rows, by run.seed (0 where that is not set)."
    )

    @model_validator(mode="after")
    def _choice_of_rows(self) -> Self:
        for key in ("limit", "sample"):
            if getattr(self, key) is not None and self.rows_from is None:
                raise wrong("chooses rows, and there are none", hint="add from: a file", key=key)
        if self.limit is not None and self.sample is not None:
            raise wrong("and limit exclude each other", hint="keep one of them", key="sample")
        return self


_WHOLE_COLUMN = {"type": "string", "pattern": r"^\{\{.*\}\}$"}
"""What may stand for a list where a row's column holds it."""


def _entry_schema(schema: dict[str, Any]) -> None:
    """Let ``{{column}}`` be a list in an editor's eyes, where rows can give one."""
    for name in ("turns", "history"):
        choices = schema["properties"][name].get("anyOf", [])
        schema["properties"][name]["anyOf"] = [*choices, _WHOLE_COLUMN]


class ScenarioEntry(TestKeys, DatasetKeys):
    """One scenario: what is said to the target, and what its answers must be."""

    model_config = ConfigDict(json_schema_extra=_entry_schema)

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
