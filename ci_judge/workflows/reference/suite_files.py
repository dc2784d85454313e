"""The page of the files that a suite is made of: scenarios, cases, waivers and labels."""

import inspect

from ci_judge.suites.case_marker import case
from ci_judge.suites.label_file import FOLDER, LabelEntry, LabelHead
from ci_judge.suites.scenario_file import (
    CheckKeys,
    DatasetKeys,
    HistoryEntry,
    JsonPathKeys,
    ScenarioEntry,
    ScenarioFile,
    TestKeys,
)
from ci_judge.suites.waiver_file import MOST_DAYS, NAMES, WaiverKeys
from ci_judge.workflows.reference.configuration import MADE_BY
from ci_judge.workflows.reference.file_keys import HEAD, key_rows, key_table
from ci_judge.workflows.reference.pages import page, paragraphs, table

_HEAD = """\
Scenario files are YAML with a top-level `scenarios`; the configuration's `suite.paths` says
where they are. Acceptance criteria are Markdown: each `##` heading begins one, its id is `{#id}`
behind the heading or else the heading in small letters and hyphens. Durations are written `3s`,
`500ms`, `2m` or as a number of seconds, rates `0.8` or `2/3`."""
_CHECK = "Each entry of `checks` has exactly one of these keys, and perhaps `in`."


def suite_files_page() -> str:
    shared = [row for model in (TestKeys, DatasetKeys) for row in key_rows(model)]
    known = {row[0] for row in shared}
    own = [row for row in key_rows(ScenarioEntry) if row[0] not in known]
    return page(
        "Scenario files, cases, waivers and labels",
        _HEAD,
        "## The file",
        key_table(ScenarioFile),
        "## A scenario",
        table(HEAD, own),
        "These keys may stand in a scenario, and in `defaults` for all scenarios of the file:",
        table(HEAD, list(key_rows(TestKeys))),
        "## Rows of a dataset",
        "A scenario with `from` is a template: each row of the file makes a test of it.",
        key_table(DatasetKeys),
        "## An entry of history",
        key_table(HistoryEntry),
        "## A check",
        _CHECK,
        key_table(CheckKeys),
        "### json_path",
        key_table(JsonPathKeys),
        "## Python cases",
        _case_signature(),
        paragraphs(case.__doc__ or ""),
        "## waivers.yaml",
        f"A list in `{'` or `'.join(NAMES)}` beside the configuration: tests that may fail until a"
        f" day at most {MOST_DAYS} days ahead.",
        key_table(WaiverKeys),
        "## Labels",
        f"Files `{FOLDER}/*.yaml` beside the configuration, a criterion each: responses and what"
        " people say of them, for `ci-judge calibrate`.",
        key_table(LabelHead),
        "### A labelled response",
        key_table(LabelEntry),
        made_by=MADE_BY,
    )


def _case_signature() -> str:
    _, *options = inspect.signature(case).parameters.values()
    given = "".join(f"    {option.name}={option.default!r},\n" for option in options)
    return f'```python\n@case(\n    "requirement",\n{given})\ndef test_name(): ...\n```'
