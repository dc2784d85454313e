"""``ci-judge merge``: the reports of shards become the report of the whole suite again."""

import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ci_judge.document.corrections import with_corrections
from ci_judge.document.merging import (
    Missing,
    merged_document,
    missing_shards,
    shard_of,
    tests_of,
    without_a_part,
)
from ci_judge.document.recorded_runs import recorded_run
from ci_judge.document.run_entries import run_entry
from ci_judge.engine.ledger import LEDGER_VERSION, Ledger
from ci_judge.engine.panel_votes import PanelVotes
from ci_judge.errors import ExitCode, InvalidInput, Place, Problem
from ci_judge.model.document import ReportDocument, RunEntry
from ci_judge.model.judging import Run
from ci_judge.model.reasons import NotRunCode
from ci_judge.rules.settling import settle_outcomes
from ci_judge.workflows.baseline import FoundBaseline, NoBaseline
from ci_judge.workflows.comparing import ComparingRules, compared
from ci_judge.workflows.judge_facts import drift_warnings
from ci_judge.workflows.memory import replay_warning
from ci_judge.workflows.merged_judge import merged_judge
from ci_judge.workflows.recorded_settings import fail_on_of
from ci_judge.workflows.render import MOST_BYTES, RecordedReport
from ci_judge.workflows.shard_checks import REWRITTEN, shard_differences, torn_shard
from ci_judge.workflows.sound_reports import MOST_RUNS
from ci_judge.workflows.strict_reports import read_strict_report


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """The whole report. The runs stay on disk in ``ledger``, which is the file ``draft`` so far."""

    document: ReportDocument
    ledger: Ledger
    draft: Path


def merge_reports(
    paths: Sequence[Path],
    *,
    folder: Path,
    baseline: FoundBaseline | None = None,
    lost: NotRunCode = NotRunCode.SHARD_MISSING,
) -> Merged:
    """Put the reports of shards together; the ledger is drafted in ``folder``.

    The whole is held against ``baseline``; without one what each shard said of its tests stays.
    One report at a time is in memory. A shard without a report becomes an error of each of its
    tests; ``lost`` is the reason of its runs. Raises InvalidInput for reports
    that are none, contradict themselves or each other.
    """
    draft = folder / f".attempts-{secrets.token_hex(8)}.jsonl"
    ledger = Ledger(draft, clean=lambda entry: entry)
    try:
        collected = _Collected(ledger=ledger)
        for path in paths:
            collected.add(path)
        return _merge(collected, draft, baseline, lost)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def _merge(
    collected: "_Collected", draft: Path, baseline: FoundBaseline | None, lost: NotRunCode
) -> Merged:
    documents = collected.documents()
    missing = list(missing_shards(documents, code=lost))
    _record_missing(missing, collected.ledger)
    judges = [each["judge"] for each in documents if each["judge"] is not None]
    document = merged_document(documents, missing, merged_judge(judges, collected.votes))
    document = with_corrections(document)
    document = _settled(_warned(document, documents, missing), documents, missing)
    document = without_a_part(_compared(document, baseline), lacks=bool(missing))
    return Merged(document=document, ledger=collected.ledger, draft=draft)


@dataclass(slots=True, kw_only=True)
class _Collected:
    """The reports so far, without their runs, and all that is wrong with them."""

    ledger: Ledger
    votes: PanelVotes = field(default_factory=lambda: PanelVotes(0))
    problems: list[Problem] = field(default_factory=list)
    _by_index: dict[int, tuple[Path, ReportDocument]] = field(default_factory=dict)

    def add(self, path: Path) -> None:
        """Read one report; what is wrong with it is told when all are read."""
        try:
            report = read_strict_report(path, most_bytes=MOST_BYTES)
        except InvalidInput as error:
            self.problems.extend(error.problems)
            return
        wrong = list(self._wrong(report.document))
        if wrong:
            self.problems.extend(_problem(path, message, hint) for message, hint in wrong)
            return
        if not self._by_index:
            self._begin(report.document)
        self._by_index[shard_of(report.document)["index"]] = path, report.document
        self._take_runs(path, report)

    def documents(self) -> list[ReportDocument]:
        """Give the documents in the order of the shards. Raises InvalidInput."""
        if self.problems:
            raise InvalidInput(*self.problems)
        return [document for _, (_, document) in sorted(self._by_index.items())]

    def _begin(self, document: ReportDocument) -> None:
        run = document["run"]
        self.ledger.begin(
            {
                "ledger": LEDGER_VERSION,
                "fingerprint": f"merged {shard_of(document)['fingerprint']}",
                "seed": run["seed"],
                "started": run["started"],
            }
        )

    def _wrong(self, document: ReportDocument) -> Iterator[tuple[str, str]]:
        shard = document["run"]["shard"]
        if shard is None:
            yield "is not the report of a shard", "ci-judge run --shard 1/4 writes one"
            return
        torn = list(torn_shard(document, shard))
        yield from torn
        if torn or not self._by_index:
            return
        path, first = next(iter(self._by_index.values()))
        differences = list(shard_differences(first, document))
        for what in differences[:1]:
            yield f"does not belong to {path}: {what}", "merge the shards of one run"
        if not differences and shard["index"] in self._by_index:
            other, _ = self._by_index[shard["index"]]
            yield (
                f"is shard {shard['index']} of {shard['count']}, and so is {other}",
                "give each shard once",
            )

    def _take_runs(self, path: Path, report: RecordedReport) -> None:
        judge = report.document["judge"]
        judges = len(judge["panel"]) if judge else 0
        if judges and not self.votes.members:
            self.votes = PanelVotes(judges)
        for test in tests_of(report.document["groups"]):
            for entry in report.runs.runs(test["id"]):
                self.ledger.append(entry)
                if judges and not self._counted(entry):
                    told = f'"{test["id"]}" holds votes that no judge of the panel can have given'
                    self.problems.append(_problem(path, told, REWRITTEN))

    def _counted(self, entry: RunEntry) -> bool:
        """Count the votes of a run; False where they are not those of the panel."""
        try:
            run = recorded_run(entry)
        except (KeyError, TypeError, ValueError):
            return False
        if self.votes.knows(run):
            self.votes.add(run)
            return True
        return False


def _record_missing(missing: Sequence[Missing], ledger: Ledger) -> None:
    """Write down the runs of missing shards as not made, with the reason."""
    for lost in missing:
        for test in lost.tests:
            for number in range(1, test["planned"] + 1) if test["skip_reason"] is None else ():
                run = Run(
                    test_id=test["id"],
                    number=number,
                    outcome="not_run",
                    reason=str(lost) if lost.was_a_shard else lost.why,
                    not_run_code=lost.code,
                )
                ledger.append(run_entry(run, max_response_chars=MOST_RUNS))


def _warned(
    document: ReportDocument, documents: Sequence[ReportDocument], missing: Sequence[Missing]
) -> ReportDocument:
    """Say anew what one shard alone cannot know, in the place of what each said of itself."""
    own = {
        text
        for each in documents
        for text in (
            *drift_warnings(each["judge"]),
            *replay_warning(each["summary"]["runs_replayed"]),
        )
    }
    return {
        **document,
        "warnings": [
            *(lost.warning for lost in missing),
            *_repeated(documents),
            *drift_warnings(document["judge"]),
            *replay_warning(document["summary"]["runs_replayed"]),
            *(text for text in document["warnings"] if text not in own),
        ],
    }


def _repeated(documents: Sequence[ReportDocument]) -> Iterator[str]:
    """Tell of shards whose verdicts were drawn again while those of others were kept."""
    runs = [document["run"] for document in documents]
    first = min((run["attempt"] or 1 for run in runs), default=1)
    for run, shard in zip(runs, map(shard_of, documents), strict=True):
        if (run["attempt"] or 1) > first and run["rerun"] is None:
            yield (
                f"shard {shard['index']} of {shard['count']} was repeated in attempt"
                f" {run['attempt']} without --continue-from: its verdicts were drawn again"
            )


def _settled(
    document: ReportDocument, documents: Sequence[ReportDocument], missing: Sequence[Missing]
) -> ReportDocument:
    """Decide the whole by its tests."""
    outcomes = [test["result"] for test in tests_of(document["groups"]) if not test["advisory"]]
    settlement = settle_outcomes(
        outcomes,
        fail_on=fail_on_of(document["settings"]),
        interrupted=_interruption(documents),
    )
    headline = " ".join((settlement.headline, *(f"{str(lost).capitalize()}." for lost in missing)))
    return {
        **document,
        "status": settlement.status,
        "exit_code": int(settlement.exit_code),
        "headline": headline,
    }


def _compared(document: ReportDocument, baseline: FoundBaseline | None) -> ReportDocument:
    """Hold the whole against a baseline; ``fail_on: regression`` has no meaning without one."""
    rules = ComparingRules.recorded(document["settings"])
    found = baseline
    if found is None and rules.fail_on == "regression":
        found = NoBaseline(source="none", reason="ci-judge merge knows only that of --baseline")
    return compared(document, found, rules=rules)


def _interruption(documents: Sequence[ReportDocument]) -> ExitCode | None:
    stopped = [each["exit_code"] for each in documents if each["run"]["interrupted"]]
    if not stopped:
        return None
    return ExitCode.TERMINATED if ExitCode.TERMINATED in stopped else ExitCode.INTERRUPTED


def _problem(path: Path, message: str, hint: str) -> Problem:
    return Problem(message=message, hint=hint, place=Place(file=str(path)))
