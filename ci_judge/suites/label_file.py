"""What a file of labels may hold: responses, and what people say of them."""

from itertools import pairwise
from typing import Any, Final, Literal, Self

from pydantic import Field, model_validator

from ci_judge.file_schema import (
    FileModel,
    FilledText,
    ListOf,
    TextOrList,
    WrittenJson,
    wrong,
)
from ci_judge.suites.scenario_file import CheckKeys, HistoryEntry

FOLDER: Final = "calibration"
_NOT_KEPT = frozenset({"max_latency", "max_cost", "tools_called"})


class LabelEntry(FileModel):
    """One labelled response: what was said to it, what was expected, and a person's verdict."""

    name: FilledText | None = Field(default=None, description="What to call it in reports.")
    message: WrittenJson = Field(
        default=None, description="What the user said; any JSON value for other targets."
    )
    turns: ListOf[HistoryEntry] | None = Field(
        default=None,
        description="The whole talk up to the response instead of one message: roles and contents, "
        "the last of them the user's. What the assistant said in it is judged with the response.",
    )
    expected: TextOrList = Field(
        description='What must be true of the response, one text or several; "quoted" is literal.'
    )
    checks: ListOf[CheckKeys] | None = Field(
        default=None, description="Exact checks, made before any judge is asked."
    )
    response: WrittenJson = Field(description="The answer that was labelled, as it was given.")
    verdict: Literal["pass", "fail"] = Field(
        description="What a person says: does the response meet what was expected?"
    )
    note: FilledText | None = Field(default=None, description="Why, for whoever reads it next.")
    source: FilledText | None = Field(
        default=None, description="Where the response comes from, or who labelled it."
    )

    @model_validator(mode="after")
    def _is_a_talk(self) -> Self:
        if self.message is None and not self.turns:
            hint = "message: what the user said; or turns:"
            raise wrong("is missing", hint=hint, key="message")
        if self.message is not None and self.turns is not None:
            raise wrong("and message exclude each other", hint="keep one of them", key="turns")
        if self.response is None:
            hint = 'the answer, as it was given; "" for none'
            raise wrong("is missing", hint=hint, key="response")
        if not self.expected:
            raise wrong("is empty", hint="what must be true of the response", key="expected")
        return self

    @model_validator(mode="after")
    def _checks_what_was_kept(self) -> Self:
        for check in self.checks or ():
            if check.kind in _NOT_KEPT or check.inside is not None:
                what = check.kind if check.inside is None else f"in: {check.inside}"
                hint = "labels keep what was said, not its time, its cost or its tools"
                raise wrong(f"cannot hold {what}", hint=hint, key="checks")
        return self

    @model_validator(mode="after")
    def _the_user_spoke_last(self) -> Self:
        if not self.turns:
            return self
        said = [turn.role for turn in self.turns if turn.role != "system"]
        if said[-1:] != ["user"]:
            hint = "end with what the user said; the answer to it is the response"
            raise wrong("must end with the user", hint=hint, key="turns")
        if any(one == other for one, other in pairwise(said)):
            raise wrong("must alternate between user and assistant", key="turns")
        return self


class LabelHead(FileModel):
    """A file of labels, its cases not looked at yet."""

    criterion: FilledText = Field(description="The id of the criterion that the responses answer.")
    cases: ListOf[Any] = Field(description="The labelled responses.")


class LabelFile(LabelHead):
    """A file of labelled responses of one criterion."""

    cases: ListOf[LabelEntry] = Field(description="The labelled responses.")
