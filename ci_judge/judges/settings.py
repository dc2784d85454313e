"""The configuration section ``judge``."""

from fractions import Fraction
from types import MappingProxyType
from typing import Annotated, Any, Literal, Self, TypeAlias, get_args

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, model_validator

from ci_judge.file_schema import (
    AUTO,
    AsWritten,
    Command,
    Concurrency,
    ExactRate,
    FileModel,
    FilledText,
    HttpUrl,
    ListOf,
    Seconds,
    Secret,
    Share,
    VariableName,
    written_copy,
    wrong,
)
from ci_judge.file_schema.showing import quoted
from ci_judge.judges.prompt.template import PromptVersion
from ci_judge.model.judging import PanelRule, VotePolicy

SAMPLE_REPETITIONS = 3
_DEFAULT_MODELS = MappingProxyType({"systemone": "jev-latest"})

_COMPATIBLE = "provider: openai with its base_url, if it speaks that protocol"
_MEANT = {
    "claude": "provider: anthropic, and the name of the model in judge.model",
    "gpt": "provider: openai, and the name of the model in judge.model",
    "chatgpt": "provider: openai, and the name of the model in judge.model",
    "azure": _COMPATIBLE,
    "ollama": _COMPATIBLE,
    "vllm": _COMPATIBLE,
    "openrouter": _COMPATIBLE,
    "mistral": _COMPATIBLE,
    "gemini": _COMPATIBLE,
    "google": _COMPATIBLE,
    "llama": _COMPATIBLE,
}

ProviderName: TypeAlias = Literal["stub", "anthropic", "openai", "systemone", "command"]
"""Who can judge alone, or sit in a panel."""

COMMAND = "command"
_LIKELIHOODS = frozenset({"systemone", COMMAND})
_OF_SERVERS = ("base_url", "api_key_env", "api_key", "temperature", "prompt_version")
PANEL = "panel"
SHARED_BY_PANEL = (
    "instructions",
    "max_tokens",
    "minimum_pass_rate",
    "mode",
    "preflight",
    "prompt_version",
    "repetitions",
    "retries",
    "threshold",
    "timeout",
)
"""Keys of the section ``judge`` that hold for each judge of its panel that does not set them."""

OF_THE_PANEL = frozenset({"provider", "panel", "panel_rule", "concurrency", "seed", "calibration"})
"""Keys of the section that are about all judges together."""
_WITH_A_PANEL = OF_THE_PANEL.union(SHARED_BY_PANEL)
_SMALLEST_PANEL = 2
_LARGEST_PANEL = 20


def _panel_member(member: "JudgeSettings") -> "JudgeSettings":
    """Refuse in a judge of a panel what only the whole panel can have."""
    if member.provider == PANEL or member.panel:
        raise wrong("is a panel, and a panel holds single judges", key="panel")
    if member.seed is not None:
        raise wrong("is one for all judges", hint="set run.seed", key="seed")
    if member.calibration is not None:
        raise wrong("is one for all judges", hint="set judge.calibration", key="calibration")
    return member


def _meant_provider(value: object) -> object:
    """Refuse the name of a model or of another service, and say what to write."""
    text = value.strip().casefold() if isinstance(value, str) else ""
    meant = next((hint for name, hint in _MEANT.items() if text.startswith(name)), None)
    if meant is not None:
        names = ", ".join(get_args(ProviderName))
        raise wrong(f"must be one of {names}, not {quoted(str(value))}", hint=meant)
    return value


def _one_or_a_panel(schema: dict[str, Any]) -> None:
    """Say in the JSON Schema that a panel stands in for the provider."""
    schema["required"] = []
    schema["anyOf"] = [{"required": ["provider"]}, {"required": ["panel"]}]


Usd: TypeAlias = Annotated[float, Field(ge=0, le=1_000_000, allow_inf_nan=False)]


class PriceSettings(FileModel):
    """What the judge's tokens cost, instead of the published price."""

    input: Usd = Field(description="USD per million input tokens")
    output: Usd = Field(description="USD per million output tokens")


class JudgeSettings(FileModel):
    """Who judges, and how opinions become the verdict of a run."""

    model_config = ConfigDict(json_schema_extra=_one_or_a_panel)

    provider: Annotated[Literal[ProviderName, "panel"], BeforeValidator(_meant_provider)] = Field(
        description="Who judges: stub (needs no key), anthropic, openai, systemone or command"
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
    command: Command | None = Field(
        default=None,
        description="Program that judges (provider command): JSON in, JSON out, without a shell",
    )
    env: ListOf[VariableName] = Field(
        default=(), description="Names of variables that the command may see"
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
    logprobs: bool = Field(
        default=False,
        description="Judge by the likelihood of the word true (openai with log-probabilities)",
    )
    preflight: bool = Field(
        default=True,
        description="Look for the judge, its key and model (one request) before anything is sent",
    )
    prompt_version: Annotated[PromptVersion, AsWritten()] | None = Field(
        default=None,
        description="Version of the prompt of judges that answer in words (unset: the latest)",
    )
    mode: Literal["threshold", "sample"] = Field(
        default="threshold",
        description="How a likelihood becomes a verdict: compared with threshold, or drawn",
    )
    threshold: Share = Field(
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
    concurrency: Concurrency = Field(
        default=AUTO, description="Requests in flight to the judge; auto: as many as it bears"
    )
    timeout: Seconds = Field(default=120.0, description="Time limit of one judge request")
    retries: Annotated[int, Field(ge=0, le=10)] = Field(
        default=3, description="Retries after timeouts, refused connections, 408, 429 and 5xx"
    )
    price: PriceSettings | None = Field(
        default=None, description="What tokens cost (unset: the published price, if it is known)"
    )
    calibration: FilledText | None = Field(
        default=None,
        description="What ci-judge calibrate wrote of this judge: a path, such as "
        "calibration/calibration.json",
    )
    seed: Annotated[int, Field(ge=0, le=2**53 - 1)] | None = Field(
        default=None, description="Another name of run.seed"
    )
    panel: ListOf[Annotated["JudgeSettings", AfterValidator(_panel_member)]] = Field(
        default=(),
        description="Several judges instead of one, each a section like this one; its own settings "
        "go before those beside panel",
    )
    panel_rule: PanelRule = Field(
        default="majority",
        description="How many judges of the panel must pass: more than half, all, or any",
    )

    @model_validator(mode="before")
    @classmethod
    def _panel_needs_no_provider(cls, data: Any) -> Any:
        if not isinstance(data, dict) or "provider" in data or not data.get("panel"):
            return data
        named = written_copy(data)
        named["provider"] = PANEL
        return named

    @model_validator(mode="after")
    def _is_one_judge_or_a_panel(self) -> Self:
        if self.provider != PANEL:
            return self._without_panel()
        if not _SMALLEST_PANEL <= len(self.panel) <= _LARGEST_PANEL:
            size = f"{_SMALLEST_PANEL} to {_LARGEST_PANEL}"
            raise wrong(f"must hold {size} judges, not {len(self.panel)}", key="panel")
        for key in filter(self._differs, sorted({*type(self).model_fields} - _WITH_A_PANEL)):
            raise wrong(
                "is a single judge's", hint="write it in the entries of judge.panel", key=key
            )
        return self

    def _without_panel(self) -> Self:
        if self.panel:
            hint = "keep one of the two, or write this judge into judge.panel"
            raise wrong(f"does not go with judge.provider {self.provider}", hint=hint, key="panel")
        if self._differs("panel_rule"):
            raise wrong("says nothing without judge.panel", hint="remove it", key="panel_rule")
        return self

    def _differs(self, key: str) -> bool:
        """Tell whether a key was given another value than it has without being given."""
        usual = type(self).model_fields[key].get_default(call_default_factory=True)
        return bool(getattr(self, key) != usual)

    @model_validator(mode="after")
    def _command_is_its_own_provider(self) -> Self:
        if self.provider != COMMAND:
            for key in filter(self._differs, ("command", "env")):
                hint = f"write provider: {COMMAND}, or remove it"
                raise wrong(f"is not known to {self.provider}", hint=hint, key=key)
            return self
        if self.command is None:
            raise wrong("is missing", hint="name the program that judges", key="command")
        for key in filter(self._differs, _OF_SERVERS):
            raise wrong(f"is not known to {COMMAND}", hint="remove it", key=key)
        return self

    @model_validator(mode="after")
    def _fits_the_provider(self) -> Self:
        if self.provider == "systemone" and self.temperature is not None:
            raise wrong("is not known to systemone", hint="remove it", key="temperature")
        if self.provider == "systemone" and self.prompt_version is not None:
            hint = "remove it; its words are judge.instructions"
            raise wrong("is not known to systemone", hint=hint, key="prompt_version")
        if self.logprobs and self.provider != "openai":
            raise wrong("is known to openai alone", hint="remove it", key="logprobs")
        if self.provider in {"anthropic", "openai"} and self.model is None:
            raise wrong("is missing", hint=f"name a model of {self.provider}", key="model")
        return self

    @property
    def gives_likelihoods(self) -> bool:
        """Tell whether this can be a probability judge, or one of the panel can."""
        return any(one.provider in _LIKELIHOODS or one.logprobs for one in self.members)

    @property
    def members(self) -> tuple["JudgeSettings", ...]:
        """Give the judges that are asked: this one, or those of its panel.

        What is set beside the panel holds for each of them that does not set it itself.
        """
        if not self.panel:
            return (self,)
        shared = {
            key: getattr(self, key) for key in SHARED_BY_PANEL if key in self.model_fields_set
        }
        return tuple(
            member.model_copy(
                update={
                    key: value
                    for key, value in shared.items()
                    if key not in member.model_fields_set
                }
            )
            for member in self.panel
        )

    def vote_policy(self) -> VotePolicy:
        """Say how opinions become the vote of this judge."""
        return VotePolicy(
            mode=self.mode,
            threshold=float(self.threshold.value),
            repetitions=self.used_repetitions,
            minimum_pass_rate=self.minimum_pass_rate.value,
            rate_text=self.minimum_pass_rate.text,
        )

    @property
    def asked_model(self) -> str | None:
        """The model that is asked for, with what a provider takes for an unset one."""
        return self.model or _DEFAULT_MODELS.get(self.provider)

    @property
    def used_repetitions(self) -> int:
        """Judgements of each run, with what the mode makes of an unset number."""
        if self.repetitions is not None:
            return self.repetitions
        return SAMPLE_REPETITIONS if self.mode == "sample" else 1
