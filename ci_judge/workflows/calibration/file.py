"""``calibration.json``: how a judge did on labels, and which judge exactly that was."""

import json
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import Field

from ci_judge.errors import InvalidInput, Place
from ci_judge.file_schema import FileModel, ListOf, LoadedFile, read_text, validate
from ci_judge.file_schema.loaded_file import DataPath, Scalar
from ci_judge.model.calibration import LabelCounts
from ci_judge.model.judging import PanelRule

CALIBRATION_VERSION: Final = 1
_HINT: Final = "give the file as ci-judge calibrate has written it"

Amount = Annotated[int, Field(ge=0)]
Portion = Annotated[float, Field(ge=0, le=1)]
Kappa = Annotated[float, Field(ge=-1, le=1)]


class ToolKeys(FileModel):
    """Who wrote the file."""

    name: str = Field(description="ci-judge.")
    version: str = Field(description="Its version.")


class SingleJudgeKeys(FileModel):
    """One judge: what must be the same in a run, and the models that answered."""

    provider: str = Field(description="Who judged: judge.provider.")
    model: str | None = Field(description="The model that was asked for.")
    models_answered: ListOf[str] = Field(description="The models that answered, sorted.")
    host: str | None = Field(description="Host of judge.base_url, or of the provider's own.")
    command_sha256: str | None = Field(description="Digest of judge.command.")
    temperature: float | None = Field(description="Sampling temperature, null where not sent.")
    logprobs: bool = Field(description="Whether it judged by log-probabilities.")
    prompt_version: str | None = Field(description="Version of the prompt, null without ours.")
    prompt_sha256: str | None = Field(description="Digest of that prompt.")
    instructions_sha256: str | None = Field(description="Digest of judge.instructions.")
    mode: Literal["threshold", "sample"] = Field(description="judge.mode.")
    threshold: str = Field(description="judge.threshold, as written.")
    repetitions: Amount = Field(description="Judgements of each response.")
    minimum_pass_rate: str = Field(description="judge.minimum_pass_rate, as written.")


class JudgeKeys(FileModel):
    """The judge alone, or all of a panel."""

    panel_rule: PanelRule | None = Field(description="judge.panel_rule, null without a panel.")
    judges: ListOf[SingleJudgeKeys] = Field(description="The judge, or those of the panel.")


class CountKeys(FileModel):
    """Labels by what people and the judge say of them."""

    human_passes: Amount = Field(description="Responses that people passed.")
    agreed_passes: Amount = Field(description="Of these, those that the judge passed.")
    human_fails: Amount = Field(description="Responses that people failed.")
    agreed_fails: Amount = Field(description="Of these, those that the judge failed.")

    def counts(self) -> LabelCounts:
        """Give them as a value. Raises ValueError for counts that cannot be."""
        return LabelCounts(**self.model_dump())


class ShareKeys(FileModel):
    """A share and Wilson's 95 % interval."""

    hits: Amount = Field(description="How many.")
    total: Amount = Field(description="Of how many.")
    rate: Portion | None = Field(description="The share, null of nothing.")
    interval: ListOf[Portion] = Field(description="Its ends, low and high.")


class MeasuredKeys(FileModel):
    """How the judge did on one criterion's labels, or on all."""

    labels: Amount = Field(description="All labels.")
    by_checks: Amount = Field(description="Labels that checks or phrases failed without a judge.")
    by_checks_wrongly: Amount = Field(description="Of these, responses that people passed.")
    right_with_checks: ShareKeys = Field(
        description="How often checks, phrases and judge together say what people say."
    )
    counts: CountKeys = Field(description="The labels that the judge was asked about.")
    accuracy: ShareKeys = Field(description="How often the judge says what people say.")
    sensitivity: ShareKeys = Field(description="P(judge pass | human pass).")
    specificity: ShareKeys = Field(description="P(judge fail | human fail).")
    cohen_kappa: Kappa | None = Field(description="Cohen's kappa, null where not defined.")
    gwet_ac1: Kappa | None = Field(description="Gwet's AC1, null where not defined.")


class BinKeys(FileModel):
    """One row of the reliability table."""

    low: Portion = Field(description="From this probability.")
    high: Portion = Field(description="To below this one.")
    labels: Amount = Field(description="Labels with such a probability.")
    mean: Portion | None = Field(description="Their mean probability.")
    observed: Portion | None = Field(description="The share that people passed.")


class SuggestionKeys(FileModel):
    """The threshold on the probability that suits the labels best."""

    threshold: Portion = Field(description="For judge.threshold.")
    meets: bool = Field(description="Whether it meets --min-tpr and --min-tnr.")
    counts: CountKeys = Field(description="What the judge would say with it.")


class ProbabilityKeys(FileModel):
    """How good the probabilities of the judge are."""

    labels: Amount = Field(description="Labels with one expectation and a probability.")
    brier: Portion | None = Field(description="Brier score: 0 is perfect.")
    calibration_error: Portion | None = Field(description="Expected calibration error, ten bins.")
    reliability: ListOf[BinKeys] = Field(description="What was said, and what came of it.")
    suggestion: SuggestionKeys | None = Field(description="Null where a verdict has no labels.")


class DisagreementKeys(FileModel):
    """A label of which people and the verdict differ."""

    criterion: str = Field(description="The id of the criterion.")
    name: str = Field(description="The label's name, or what the user said.")
    place: str = Field(description="File and line.")
    human: Literal["pass", "fail"] = Field(description="What a person says.")
    by: Literal["judge", "checks"] = Field(description="Who says otherwise.")
    reason: str = Field(description="Why.")
    note: str | None = Field(description="The label's note.")


class TurnedKeys(FileModel):
    """A bad response that passed with an appeal to the judge behind it."""

    criterion: str = Field(description="The id of the criterion.")
    name: str = Field(description="The label's name, or what the user said.")
    place: str = Field(description="File and line.")
    appeal: str = Field(description="What was said to the judge.")
    reason: str = Field(description="Why it passed then.")


class InjectionKeys(FileModel):
    """Whether appeals to the judge help bad responses."""

    succeeded: ShareKeys = Field(
        description="Of the responses that the judge failed, those that passed with an appeal."
    )
    unanswered: Amount = Field(description="Appeals to which the judge gave no verdict.")
    turned: ListOf[TurnedKeys] = Field(description="Every one of them.")


class CalibrationFile(FileModel):
    """What ``ci-judge calibrate`` found of one judge with one prompt."""

    calibration_version: Literal[1] = Field(description="Version of this format.")
    tool: ToolKeys = Field(description="Who wrote the file.")
    made: str = Field(description="When (UTC, ISO 8601).")
    seed: Amount = Field(description="Seed of the draws (judge.mode: sample).")
    judge: JudgeKeys = Field(description="Which judge it was.")
    criteria_instructions: dict[str, str] = Field(
        description="Digests of criteria.<id>.instructions, by id."
    )
    overall: MeasuredKeys = Field(description="Over all labels.")
    criteria: dict[str, MeasuredKeys] = Field(description="By the id of the criterion.")
    probabilities: ProbabilityKeys | None = Field(
        description="Of a judge that answers with probabilities, else null."
    )
    disagreements: ListOf[DisagreementKeys] = Field(description="Every one of them.")
    injection: InjectionKeys | None = Field(description="What --injection found, else null.")


class _NoLines:
    """Knows the file alone: nobody writes it by hand."""

    def __init__(self, file: str) -> None:
        self._file = file

    def place(self, path: DataPath) -> Place:
        del path
        return Place(file=self._file)

    def scalar(self, path: DataPath) -> Scalar | None:
        del path
        return None


def read_calibration(path: Path, *, file: str) -> CalibrationFile:
    """Read a calibration; ``file`` is the name to show. Raises InvalidInput for what is none."""
    text = read_text(path, file=file)
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInput.of(
            f"this is no calibration: it is not JSON: {error}", hint=_HINT, place=Place(file=file)
        ) from error
    if not isinstance(data, dict) or data.get("calibration_version") != CALIBRATION_VERSION:
        raise InvalidInput.of(
            f"this is no calibration of version {CALIBRATION_VERSION}",
            hint="run ci-judge calibrate again",
            place=Place(file=file),
        )
    found = validate(LoadedFile(file=file, data=data, locator=_NoLines(file)), CalibrationFile)
    try:
        found.overall.counts.counts()
    except ValueError as error:
        raise InvalidInput.of(
            f"this is no calibration: {error}", hint=_HINT, place=Place(file=file)
        ) from error
    return found
