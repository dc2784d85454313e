"""Whether reports of shards can be merged: each by itself, and two beside each other."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ci_judge.document.merging import shard_of, tests_of
from ci_judge.model.document import ReportDocument, ShardEntry, TestEntry
from ci_judge.workflows.merged_judge import same_judges
from ci_judge.workflows.sound_reports import MOST_RUNS

REWRITTEN: Final = "give the report.json as ci-judge run has written it"
_OF_EACH_SHARD = {
    "report": frozenset({"dir", "json", "junit", "html", "markdown"}),
    "run": frozenset({"balance", "shard", "cache_dir", "concurrency"}),
}
"""Settings that may differ: where files are, how much at once, and which part."""

_TERMS: Final = ("kind", "advisory", "skip_reason", "waiver", "fingerprint")
_GATE_TERMS: Final = (
    "kind",
    "threshold",
    "threshold_text",
    "confidence",
    "misses",
    "min_runs",
    "max_runs",
    "labels",
    "early_stop",
)


def torn_shard(document: ReportDocument, shard: ShardEntry) -> Iterator[tuple[str, str]]:
    """Say what of a shard's report cannot be: it may come from elsewhere."""
    hint = REWRITTEN
    planned = [test["id"] for test in tests_of(shard["plan"])]
    dealt = [test_id for part in shard["parts"] for test_id in part]
    if not 1 <= shard["index"] <= shard["count"] == len(shard["parts"]):
        yield f"cannot be shard {shard['index']} of {shard['count']}", hint
    elif sorted(planned) != sorted(dealt) or sorted(planned) != sorted(shard["planned_ids"]):
        yield "plans other tests than its shards have", hint
    elif len(set(planned)) < len(planned):
        yield "plans a test twice", hint
    elif any(not 0 <= test["planned"] <= MOST_RUNS for test in tests_of(shard["plan"])):
        yield f"plans a test of more than {MOST_RUNS:,} runs", hint
    else:
        mine = shard["parts"][shard["index"] - 1]
        held = [test["id"] for test in tests_of(document["groups"])]
        if sorted(mine) != sorted(held):
            odd = min(set(mine) ^ set(held))
            verb = "lacks" if odd in mine else "holds"
            whose = "its own" if odd in mine else "not its own"
            yield f'{verb} the test "{odd}", which is {whose}', hint
        by_id = {test["id"]: test for test in tests_of(shard["plan"])}
        for test in tests_of(document["groups"]):
            planned_as = by_id.get(test["id"], test)
            if _terms(test) != _terms(planned_as) or not _planned_alike(test, planned_as):
                yield f'"{test["id"]}" was run by other rules than planned', hint


def _terms(test: TestEntry) -> list[Any]:
    """Give what decides how the runs of a test count: it is settled before the first of them."""
    return [*(test[key] for key in _TERMS), *(test["gate"][key] for key in _GATE_TERMS)]


def _planned_alike(test: TestEntry, planned_as: TestEntry) -> bool:
    """Compare the planned runs; an adaptive test that went on from earlier attempts has more."""
    more = test["planned"] - planned_as["planned"]
    goes_on = test["gate"]["max_runs"] is not None and test["carried_runs"] > 0
    return more == 0 or (more > 0 and goes_on)


def shard_differences(one: ReportDocument, other: ReportDocument) -> Iterator[str]:
    """Say in what two shards differ that must be the same, the plainest first."""
    here, there = shard_of(one), shard_of(other)
    if here["count"] != there["count"]:
        yield f"one is of {here['count']} shards, the other of {there['count']}"
    if one["tool"]["version"] != other["tool"]["version"]:
        yield f"CI Judge {one['tool']['version']} and {other['tool']['version']} wrote them"
    if one["run"]["commit"] != other["run"]["commit"]:
        yield "they are of different commits"
    yield from _setting_differences(one["settings"], other["settings"])
    if here["fingerprint"] != there["fingerprint"] or here["plan"] != there["plan"]:
        yield "their tests, target or judge differ"
    if here["parts"] != there["parts"]:
        yield "the tests were shared out differently"
    if one["run"]["seed"] != other["run"]["seed"]:
        yield (
            f"their seeds are {one['run']['seed']} and {other['run']['seed']} "
            "(repeat all shards, or set run.seed)"
        )
    judges = (one["judge"], other["judge"])
    if judges[0] and judges[1] and not same_judges(judges[0], judges[1]):
        yield "they had different judges"


def _setting_differences(one: Mapping[str, Any], other: Mapping[str, Any]) -> Iterator[str]:
    for section in sorted({*one, *other}):
        here, there = one.get(section), other.get(section)
        if here == there:
            continue
        if not (isinstance(here, dict) and isinstance(there, dict)):
            yield f"the setting {section} differs"
            continue
        own = _OF_EACH_SHARD.get(section, frozenset())
        for key in sorted({*here, *there} - own):
            if here.get(key) != there.get(key):
                yield f"the setting {section}.{key} differs"
