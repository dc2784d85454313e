"""What a person may write in a file: read with places, checked strictly, explained plainly."""

from ci_judge.file_schema.concurrency import AUTO, Concurrency, fixed_number
from ci_judge.file_schema.dotted_paths import DottedPath
from ci_judge.file_schema.loaded_file import (
    DataPath,
    LoadedFile,
    Locator,
    Scalar,
    WrittenList,
    WrittenMap,
    value_at,
    written_copy,
)
from ci_judge.file_schema.markers import AsWritten, Secret, Wanted, wrong
from ci_judge.file_schema.models import FileModel
from ci_judge.file_schema.run_counts import (
    ADAPTIVE_RUNS,
    MOST_RUNS,
    RunRange,
    Runs,
    least_runs,
    most_runs,
)
from ci_judge.file_schema.text_source import read_text
from ci_judge.file_schema.toml_source import load_toml
from ci_judge.file_schema.urls import HttpUrl
from ci_judge.file_schema.validation import problems_or, validate
from ci_judge.file_schema.values import (
    Command,
    Count,
    ExactRate,
    FilledText,
    Json,
    ListOf,
    OpenRate,
    Rate,
    Seconds,
    Share,
    Text,
    TextOrList,
    VariableName,
    VariableText,
    WrittenJson,
    duration_seconds,
    exact_rate,
)
from ci_judge.file_schema.yaml_source import load_yaml

__all__ = [
    "ADAPTIVE_RUNS",
    "AUTO",
    "MOST_RUNS",
    "AsWritten",
    "Command",
    "Concurrency",
    "Count",
    "DataPath",
    "DottedPath",
    "ExactRate",
    "FileModel",
    "FilledText",
    "HttpUrl",
    "Json",
    "ListOf",
    "LoadedFile",
    "Locator",
    "OpenRate",
    "Rate",
    "RunRange",
    "Runs",
    "Scalar",
    "Seconds",
    "Secret",
    "Share",
    "Text",
    "TextOrList",
    "VariableName",
    "VariableText",
    "Wanted",
    "WrittenJson",
    "WrittenList",
    "WrittenMap",
    "duration_seconds",
    "exact_rate",
    "fixed_number",
    "least_runs",
    "load_toml",
    "load_yaml",
    "most_runs",
    "problems_or",
    "read_text",
    "validate",
    "value_at",
    "written_copy",
    "wrong",
]
