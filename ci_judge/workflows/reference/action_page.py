"""The page of the action: inputs, outputs and the container's rules for them."""

from ci_judge.workflows.action_tables import action_tables
from ci_judge.workflows.reference.configuration import MADE_BY
from ci_judge.workflows.reference.pages import page

_HEAD = """\
The container action (`ci-judge/ci-judge`) and the composite one (`ci-judge/ci-judge/composite`)
take the same inputs and set the same outputs. An input that is empty is not given. Inputs that
override the configuration have no default of their own: what the file says, or its default,
holds then."""
_OUTPUTS = """\
Outputs are set on every path, a crash and a cancelled job included; what is not known is empty.
Paths are relative to the workspace."""


def action_page() -> str:
    inputs, _, outputs = action_tables().rstrip().partition("\n\n")
    parts = ("## Inputs", inputs, "## Outputs", _OUTPUTS, outputs)
    return page("The action", _HEAD, *parts, made_by=MADE_BY)
