"""The configuration: its schema, the environment's and the flags' say in it, its precedence."""

from ci_judge.settings.environment import CHILDREN_RUN_AS
from ci_judge.settings.layers import Given
from ci_judge.settings.loading import load_settings
from ci_judge.settings.resolved import Settings
from ci_judge.settings.sections import (
    BudgetSettings,
    ConfigFile,
    GenerateSettings,
    ReportSettings,
    RunSettings,
    SuiteSettings,
)
from ci_judge.settings.variables import Demand

__all__ = [
    "CHILDREN_RUN_AS",
    "BudgetSettings",
    "ConfigFile",
    "Demand",
    "GenerateSettings",
    "Given",
    "ReportSettings",
    "RunSettings",
    "Settings",
    "SuiteSettings",
    "load_settings",
]
