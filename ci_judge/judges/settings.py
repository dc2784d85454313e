"""The configuration section ``judge``."""

from fractions import Fraction
from typing import Annotated, Literal, Self, TypeAlias

from pydantic import Field, model_validator

from ci_judge.file_schema import (
    ExactRate,
    FileModel,
    FilledText,
    HttpUrl,
    Rate,
    Seconds,
    Secret,
    Share,
    VariableName,
    wrong,
)

SAMPLE_REPETITIONS = 3

ProviderName: TypeAlias = Literal["stub", "anthropic", "openai", "systemone"]


class JudgeSettings(FileModel):
    """Who judges, and how opinions become the verdict of a run."""

    provider: ProviderName = Field(
        description='Who judges: stub, anthropic, openai or systemone ("stub" needs no key)'
    )
    model: FilledText | None = Field(default=None, description="Model that judges")
    base_url: HttpUrl | None = Field(
        default=None, description="Root URL of the provider's API (unset: the provider's own)"
    )
    api_key_env: VariableName | None = Field(
        default=None, description="Variable that holds the API key (unset: the provider's usual)"
    )
    api_key: Annotated[FilledText, Secret()] | None = Field(
        default=None, description="The API key, best as ${NAME} (unset: read from api_key_env)"
    )
    temperature: Annotated[float, Field(ge=0, le=2)] | None = Field(
        default=None, description="Sampling temperature (unset: not sent; not for systemone)"
    )
    max_tokens: Annotated[int, Field(ge=1, le=1_000_000)] = Field(
        default=1024, description="Longest answer of the judge, in tokens"
    )
    instructions: FilledText | None = Field(
        default=None, description="Additional instructions to the judge"
    )
    mode: Literal["threshold", "sample"] = Field(
        default="threshold",
        description="How a likelihood becomes a verdict: compared with threshold, or drawn",
    )
    threshold: Rate = Field(
        default=ExactRate(text="0.5", value=Fraction(1, 2)),
        description="Likelihood from which a trial passes (mode threshold)",
    )
    repetitions: Annotated[int, Field(ge=1, le=1_000)] | None = Field(
        default=None, description="Judgements of each run (unset: 1, or 3 in mode sample)"
    )
    minimum_pass_rate: Share = Field(
        default=ExactRate(text="2/3", value=Fraction(2, 3)),
        description="Share of the judgements of a run that must pass; fractions are exact",
    )
    concurrency: Annotated[int, Field(ge=1, le=256)] = Field(
        default=8, description="Judge requests at the same time"
    )
    timeout: Seconds = Field(default=120.0, description="Time limit of one judge request")
    retries: Annotated[int, Field(ge=0, le=10)] = Field(
        default=3, description="Retries after timeouts, refused connections, 408, 429 and 5xx"
    )
    seed: Annotated[int, Field(ge=0, le=2**53 - 1)] | None = Field(
        default=None, description="Another name of run.seed"
    )

    @model_validator(mode="after")
    def _fits_the_provider(self) -> Self:
        if self.provider == "systemone" and self.temperature is not None:
            raise wrong("is not known to systemone", hint="remove it", key="temperature")
        if self.provider in {"anthropic", "openai"} and self.model is None:
            raise wrong("is missing", hint=f"name a model of {self.provider}", key="model")
        return self

    @property
    def used_repetitions(self) -> int:
        """Judgements of each run, with what the mode makes of an unset number."""
        if self.repetitions is not None:
            return self.repetitions
        return SAMPLE_REPETITIONS if self.mode == "sample" else 1
