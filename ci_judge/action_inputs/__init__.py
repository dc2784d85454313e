"""The action's inputs: one table, from which action.yml is made and INPUT_* is read."""

from ci_judge.action_inputs.reading import (
    ActionInputs,
    CommentMode,
    MissingSecret,
    Override,
    default_key,
    given,
    read_inputs,
    variable_of,
)
from ci_judge.action_inputs.table import INPUTS, InputSpec

__all__ = [
    "INPUTS",
    "ActionInputs",
    "CommentMode",
    "InputSpec",
    "MissingSecret",
    "Override",
    "default_key",
    "given",
    "read_inputs",
    "variable_of",
]
