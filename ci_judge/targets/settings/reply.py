"""What is taken out of a target's replies besides the answer, as the configuration writes it."""

from typing import Annotated, Self, TypeAlias

from pydantic import Field, model_validator

from ci_judge.file_schema import DottedPath, FileModel, wrong

Usd: TypeAlias = Annotated[float, Field(ge=0, le=1_000_000, allow_inf_nan=False)]


class UsageSettings(FileModel):
    """What the target's answers cost, so that reports and ``max_cost`` can tell."""

    input_path: DottedPath | None = Field(
        default=None, description="Dotted path of the count of input tokens in the JSON reply"
    )
    output_path: DottedPath | None = Field(
        default=None, description="Dotted path of the count of output tokens in the JSON reply"
    )
    input_price: Usd | None = Field(default=None, description="USD per million input tokens")
    output_price: Usd | None = Field(default=None, description="USD per million output tokens")
    per_request: Usd = Field(default=0.0, description="USD per request, besides tokens")

    @model_validator(mode="after")
    def _paths_have_prices(self) -> Self:
        for kind in ("input", "output"):
            path, price = f"{kind}_path", f"{kind}_price"
            if (getattr(self, path) is None) != (getattr(self, price) is None):
                absent, given = (path, price) if getattr(self, path) is None else (price, path)
                raise wrong(f"is missing beside {given}", key=absent)
        if not self.per_request and self.input_path is None and self.output_path is None:
            raise wrong("holds no price", hint="set per_request, or paths and their prices")
        return self


class CaptureSettings(FileModel):
    """What else is taken out of every JSON reply: evidence, and the id of the session."""

    tools: DottedPath | None = Field(
        default=None, description="Dotted path of the tool calls in the JSON reply"
    )
    context: DottedPath | None = Field(
        default=None, description="Dotted path of the retrieved passages in the JSON reply"
    )

    session: DottedPath | None = Field(
        default=None,
        description="Dotted path of the session's id in the JSON reply; later turns send it back "
        "as {{session}}",
    )

    @model_validator(mode="after")
    def _holds_a_path(self) -> Self:
        if self.tools is None and self.context is None and self.session is None:
            raise wrong("holds no path", hint="set tools, context or session")
        return self
