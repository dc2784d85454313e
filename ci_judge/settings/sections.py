"""The schema of the configuration file. Each setting is declared here, or beside what it sets."""

import re
from fractions import Fraction
from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import AfterValidator, Field, model_validator

from ci_judge.file_schema import (
    ADAPTIVE_RUNS,
    AUTO,
    MOST_RUNS,
    Concurrency,
    Count,
    ExactRate,
    FileModel,
    FilledText,
    HttpUrl,
    ListOf,
    OpenRate,
    Rate,
    RunRange,
    Runs,
    Seconds,
    TextOrList,
    VariableName,
    wrong,
)
from ci_judge.judges.settings import JudgeSettings
from ci_judge.rules.shards import read_shard
from ci_judge.targets.settings import TargetSettings

_LEDGER_NAME = "attempts.jsonl"
_TOKENS_TO_BEGIN = 2_000
_TOKENS_A_SCENARIO = 500


def _pattern(text: str) -> str:
    try:
        pattern = re.compile(text)
    except (re.error, RecursionError, OverflowError) as error:
        raise wrong(f"is no regular expression: {error}") from error
    if pattern.match(""):
        raise wrong("would match the empty text", hint="use + instead of *")
    return text


def _file_name(text: str) -> str:
    if text in {".", ".."} or not text.isprintable() or any(mark in text for mark in '/\\:*?"<>|'):
        raise wrong("must be the name of a file in report.dir")
    if text == _LEDGER_NAME:
        raise wrong(f"must not be {_LEDGER_NAME}, which holds the runs")
    return text


FileName: TypeAlias = Annotated[FilledText, AfterValidator(_file_name)]


def _shard(text: str) -> str:
    try:
        read_shard(text)
    except ValueError as error:
        raise wrong(str(error), hint="write 1/4 for the first part of four") from error
    return text


ShardText: TypeAlias = Annotated[FilledText, AfterValidator(_shard)]


class SuiteSettings(FileModel):
    """Where the criteria, scenarios and cases are."""

    criteria: TextOrList | None = Field(
        default=None, description="Acceptance files or globs (unset: acceptance.md, if it exists)"
    )
    paths: TextOrList | None = Field(
        default=None,
        description="Files, folders or globs of scenarios and cases (unset: scenarios)",
    )
    pattern: FilledText = Field(default="case_*.py", description="Name of case files in folders")
    case_timeout: Seconds = Field(default=60.0, description="Time limit of one call of a case")
    env: ListOf[VariableName] = Field(
        default=(), description="Names of variables that cases may see"
    )


class RunSettings(FileModel):
    """How often each test runs, and what its gate asks for."""

    runs: Runs = Field(
        default=10, description="Runs of each scenario; {min, max} for the adaptive gate"
    )
    threshold: Rate = Field(
        default=ExactRate(text="0.7", value=Fraction(7, 10)),
        description="Pass rate that a gate asks for",
    )
    gate: Literal["lower_bound", "exact", "adaptive", "rate", "misses", "corrected"] = Field(
        default="lower_bound", description="Rule that turns the verdicts of a test into its result"
    )
    misses: Count | None = Field(
        default=None, description="Failed runs that are allowed (gate misses)"
    )
    confidence: OpenRate = Field(
        default=ExactRate(text="0.95", value=Fraction(19, 20)),
        description="Confidence of the interval and of the gates that use it",
    )
    max_errors: Annotated[int, Field(ge=1, le=MOST_RUNS)] = Field(
        default=3,
        description="Errors in a row that end a test which they keep from being passed",
    )
    early_stop: bool = Field(
        default=False, description="Leave out runs that cannot change the result of their gate"
    )
    allow_unreachable: bool = Field(
        default=False, description="Run a test even though its gate cannot be passed"
    )
    concurrency: Concurrency = Field(
        default=AUTO, description="Requests in flight to the target; auto: as many as it bears"
    )
    seed: Annotated[int, Field(ge=0, le=2**53 - 1)] | None = Field(
        default=None, description="Seed of all draws (unset: a fresh one, shown in the report)"
    )
    shard: ShardText | None = Field(
        default=None, description="Run this part of the tests alone, such as 1/4 (ci-judge merge)"
    )
    balance: FilledText | None = Field(
        default=None,
        description="An earlier report.json by whose durations the tests are shared among shards",
    )
    baseline: FilledText | None = Field(
        default=None,
        description="What to compare with: an earlier report.json, none, or auto (in the action:"
        " this workflow's newest earlier report)",
    )
    allow_removed: bool = Field(
        default=False, description="Whether tests of the baseline may be gone"
    )
    allow_weaker: bool = Field(
        default=False,
        description="Whether rules may ask for less than in the baseline: a lower threshold, a"
        " dropped check, a new waiver",
    )
    alpha: OpenRate = Field(
        default=ExactRate(text="0.05", value=Fraction(1, 20)),
        description="How often a comparison with the baseline may raise a false alarm",
    )
    fail_on: Literal["error", "failure", "regression", "never"] = Field(
        default="error",
        description="What fails the command: undecided gates too, failed gates only, only what"
        " got worse than the baseline, or nothing",
    )
    cache: Literal["verdicts", "all", "off"] = Field(
        default="verdicts",
        description="What is kept for later runs: verdicts, the target's responses too, or nothing",
    )
    cache_dir: FilledText = Field(
        default=".ci-judge", description="Folder of the cache and of the log of verdicts"
    )

    @model_validator(mode="after")
    def _runs_fit_their_gate(self) -> Self:
        ranged = isinstance(self.runs, RunRange)
        if self.gate == "adaptive" and "runs" not in self.model_fields_set:
            message = "is adaptive, which needs runs with min and max"
            raise wrong(message, hint=ADAPTIVE_RUNS, key="gate")
        if ranged and self.gate != "adaptive":
            raise wrong(
                "with min and max are for the adaptive gate",
                hint="add gate: adaptive, or give one number by runs: 30 or --runs 30",
                key="runs",
            )
        return self

    @model_validator(mode="after")
    def _misses_has_its_gate(self) -> Self:
        if self.misses is not None and "gate" in self.model_fields_set and self.gate != "misses":
            hint = "write gate: misses, or remove one of the two"
            raise wrong(f"says nothing to gate {self.gate}", hint=hint, key="misses")
        return self


class CriterionSettings(FileModel):
    """What holds for one criterion alone."""

    instructions: FilledText | None = Field(
        default=None, description="Additional instructions to the judge of this criterion"
    )


class GenerateSettings(FileModel):
    """How ``ci-judge generate`` writes scenarios."""

    provider: Literal["stub", "anthropic", "openai"] = Field(
        default="stub",
        description="Who writes scenarios: stub (needs no key), anthropic or openai",
    )
    model: FilledText | None = Field(default=None, description="Model that writes scenarios")
    base_url: HttpUrl | None = Field(
        default=None, description="Root URL of the provider's API (unset: the provider's own)"
    )
    api_key_env: VariableName | None = Field(
        default=None, description="Variable that holds the API key (unset: the provider's usual)"
    )
    temperature: Annotated[float, Field(ge=0, le=2)] | None = Field(
        default=None, description="Sampling temperature (unset: not sent)"
    )
    scenarios_per_criterion: Annotated[int, Field(ge=1, le=50)] = Field(
        default=4, description="Scenarios written for each criterion"
    )

    @model_validator(mode="after")
    def _names_its_model(self) -> Self:
        if self.provider != "stub" and self.model is None:
            raise wrong("is missing", hint=f"name a model of {self.provider}", key="model")
        return self

    def asked(self) -> JudgeSettings | None:
        """Say who is asked as judges are asked, None for the stub; the reply may be long."""
        if self.provider == "stub":
            return None
        return JudgeSettings(
            provider=self.provider,
            model=self.model,
            base_url=self.base_url,
            api_key_env=self.api_key_env,
            temperature=self.temperature,
            max_tokens=_TOKENS_TO_BEGIN + _TOKENS_A_SCENARIO * self.scenarios_per_criterion,
        )


class BudgetSettings(FileModel):
    """The most that a run may spend. When one of them is spent the run stops cleanly."""

    usd: Annotated[float, Field(gt=0, le=1_000_000, allow_inf_nan=False)] | None = Field(
        default=None, description="Most USD, for the judge and a target with target.usage"
    )
    requests: Annotated[int, Field(ge=1)] | None = Field(
        default=None, description="Most requests to targets and judges, every retry counted"
    )
    tokens: Annotated[int, Field(ge=1)] | None = Field(
        default=None, description="Most tokens of judges, input and output together"
    )
    minutes: Annotated[float, Field(gt=0, le=100_000, allow_inf_nan=False)] | None = Field(
        default=None, description="Minutes after which nothing more is sent"
    )


class ReportSettings(FileModel):
    """Where the report goes, and what it shows."""

    dir: FilledText = Field(default="ci-judge-report", description="Folder of the report files")
    json_name: FileName = Field(
        default="report.json", alias="json", description="Name of the JSON report"
    )
    junit: FileName = Field(default="junit.xml", description="Name of the JUnit report")
    html: FileName = Field(default="report.html", description="Name of the HTML report")
    markdown: FileName = Field(default="summary.md", description="Name of the Markdown report")
    transcripts: Literal["failing", "all"] = Field(
        default="failing", description="Which runs HTML and Markdown show in full"
    )
    max_response_chars: Annotated[int, Field(ge=100, le=10_000_000)] = Field(
        default=20_000, description="Characters kept of each response"
    )
    redact: ListOf[Annotated[FilledText, AfterValidator(_pattern)]] = Field(
        default=(), description="Regular expressions of what no report may show"
    )

    @model_validator(mode="after")
    def _names_differ(self) -> Self:
        taken: dict[str, str] = {}
        files = {"json": self.json_name, "junit": self.junit, "html": self.html}
        for key, name in {**files, "markdown": self.markdown}.items():
            if name.lower() in taken:
                raise wrong(f"is the same file as report.{taken[name.lower()]}", key=key)
            taken[name.lower()] = key
        return self


class ConfigFile(FileModel):
    """A ``ci-judge.yaml`` or ``ci-judge.toml``."""

    suite: SuiteSettings = Field(default=SuiteSettings(), description="What is tested")
    target: TargetSettings | None = Field(
        default=None, description="The endpoint that scenarios are sent to"
    )
    targets: dict[FilledText, TargetSettings] = Field(
        default_factory=dict, description="Further endpoints by name; a scenario picks one"
    )
    run: RunSettings = Field(default=RunSettings(), description="Runs and gates")
    judge: JudgeSettings | None = Field(default=None, description="Who judges")
    criteria: dict[FilledText, CriterionSettings] = Field(
        default_factory=dict, description="What holds for single criteria, by their ids"
    )
    generate: GenerateSettings = Field(
        default=GenerateSettings(), description="How scenarios are generated"
    )
    budget: BudgetSettings = Field(
        default=BudgetSettings(), description="The most that a run may spend"
    )
    report: ReportSettings = Field(default=ReportSettings(), description="The report files")

    @model_validator(mode="before")
    @classmethod
    def _without_empty_sections(cls, data: Any) -> Any:
        """Take a section whose keys are all commented out as one that is not there."""
        if not isinstance(data, dict):
            return data
        known = cls.model_fields
        return {key: each for key, each in data.items() if each is not None or key not in known}

    @model_validator(mode="after")
    def _one_seed(self) -> Self:
        own, other = self.run.seed, self.judge.seed if self.judge else None
        if own is not None and other is not None and own != other:
            hint = "keep one of the two"
            raise wrong(
                f"is another name of run.seed, which is {own}", hint=hint, key=("judge", "seed")
            )
        return self
