"""Python cases: which functions they are, and calling them where they cannot harm the run."""

import asyncio
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import Self

from ci_judge.errors import InvalidInput, Place, Problem
from ci_judge.file_schema.values import exact_rate
from ci_judge.model.evidence import CaseValue, EvidenceFailure, FailureCode
from ci_judge.model.suite import Case, GateDefaults, GateKind, GateRule
from ci_judge.processes import Children, scrubbed_environment
from ci_judge.rules.phrases import UnbalancedQuote, quoted_phrases
from ci_judge.suites.case_report import CaseReport, MarkedCase
from ci_judge.suites.case_variables import hidden_variable
from ci_judge.suites.case_worker import CaseProcess, CaseWorker, Lost
from ci_judge.suites.scenario_gates import gate_mistakes

LEAST_IMPORT_SECONDS = 60.0
IMPORTS_AT_A_TIME = 4
SHOWN_CHARS = 2_000


class CaseHosts:
    """The processes of all case files, one a file, started when first needed (a CaseRunner).

    A call that hangs or crashes ends its process; other calls that were in it run once more, each
    in a process of its own. ``names`` are the variables of ``environment`` that cases may see;
    ``python`` is the interpreter that has what they import.
    Raises InvalidInput for a variable that is never passed on.
    """

    def __init__(
        self,
        *,
        children: Children,
        root: Path,
        timeout_seconds: float,
        environment: Mapping[str, str],
        names: Iterable[str] = (),
        import_seconds: float | None = None,
    ) -> None:
        self.root = root
        self.python = sys.executable
        self._children = children
        self._timeout_seconds = timeout_seconds
        self._import_seconds = import_seconds or max(LEAST_IMPORT_SECONDS, timeout_seconds)
        self._ours = environment
        self._names = tuple(names)
        self._environment = scrubbed_environment(environment, names=self._names)
        self._hosts: dict[str, _FileHost] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def report(self, file: str) -> CaseReport:
        """Import a file (posix, relative to the root) in its process and say what it holds."""
        return (await self._host(file).shared()).report

    async def call(self, case: Case, *, run_number: int) -> CaseValue | EvidenceFailure:
        """Call the function once. Raises nothing for what the function does wrong."""
        outcome = await self._host(case.file).call(case.function, run_number=run_number)
        if not isinstance(outcome, EvidenceFailure) or outcome.code is not FailureCode.EXCEPTION:
            return outcome
        hint = self.reason(outcome.message)
        return replace(outcome, message=f"{outcome.message}; {hint}") if hint else outcome

    def shown(self, text: str) -> str:
        """Give the beginning of what a case file says, without secrets."""
        return self._children.redact(text)[:SHOWN_CHARS]

    def missing_variable(self, message: str) -> str | None:
        """Say that a variable named in an exception's message is not passed to cases."""
        return hidden_variable(
            message, environment=self._ours, passed=self._environment, names=self._names
        )

    def reason(self, message: str) -> str | None:
        """Explain an exception that what cases may see and do is the reason for."""
        return self.missing_variable(message) or self._children.hint(message)

    async def close(self) -> None:
        """End every process, whatever it is doing."""
        await asyncio.gather(*(host.close() for host in self._hosts.values()))

    def _host(self, file: str) -> "_FileHost":
        if file not in self._hosts:
            process = CaseProcess(
                children=self._children,
                file=self.root / file,
                root=self.root,
                environment=self._environment,
                limit_seconds=self._import_seconds,
                python=self.python,
            )
            self._hosts[file] = _FileHost(process, self._timeout_seconds)
        return self._hosts[file]


class _FileHost:
    """The process of one case file, and those that replace it."""

    def __init__(self, process: CaseProcess, timeout_seconds: float) -> None:
        self._process = process
        self._timeout_seconds = timeout_seconds
        self._starting = asyncio.Lock()
        self._worker: CaseWorker | None = None

    async def shared(self) -> CaseWorker:
        """Return the living process, or start a new one."""
        async with self._starting:
            if self._worker is not None and self._worker.ended:
                await self._worker.close(kill=True)
                self._worker = None
            if self._worker is None:
                self._worker = await self._process.start()
            return self._worker

    async def call(self, function: str, *, run_number: int) -> CaseValue | EvidenceFailure:
        outcome = await self._call(await self.shared(), function, run_number)
        if not isinstance(outcome, Lost):
            return outcome
        return await self._call_alone(function, run_number)

    async def _call_alone(self, function: str, run_number: int) -> CaseValue | EvidenceFailure:
        """Once more in a process where nothing else can be to blame."""
        worker = await self._process.start()
        try:
            outcome = await self._call(worker, function, run_number)
        finally:
            await worker.close()
        if not isinstance(outcome, Lost):
            return outcome
        return EvidenceFailure(
            code=FailureCode.CRASHED, message=outcome.message, detail=outcome.detail, attempts=2
        )

    async def _call(
        self, worker: CaseWorker, function: str, run_number: int
    ) -> CaseValue | EvidenceFailure | Lost:
        if worker.report.mistakes:
            message = f"the file cannot be imported any more: {worker.report.mistakes[0].message}"
            return EvidenceFailure(code=FailureCode.EXCEPTION, message=message)
        limit = self._timeout_seconds
        return await worker.call(function, run_number=run_number, limit_seconds=limit)

    async def close(self) -> None:
        if self._worker is not None:
            await self._worker.close()


async def discover_cases(
    files: Iterable[Path], *, defaults: GateDefaults, hosts: CaseHosts
) -> tuple[Case, ...]:
    """Import each file once, in its own process, and return its cases by name, file by file.

    Raises InvalidInput with everything that is wrong in any of them. The processes stay for the
    calls to come.
    """
    names = _each_once(files, root=hosts.root)
    slots = asyncio.Semaphore(IMPORTS_AT_A_TIME)

    async def report(name: str) -> CaseReport:
        async with slots:
            return await hosts.report(name)

    found = dict(zip(names, await asyncio.gather(*map(report, names)), strict=True))
    problems = [
        problem
        for name in names
        for problem in (
            *_mistakes(name, found[name], hosts),
            *_unreadable(name, found[name]),
            *_senseless(name, found[name], defaults),
        )
    ]
    if problems:
        raise InvalidInput(*problems)
    return tuple(_case(name, marked, defaults) for name in names for marked in found[name].cases)


def _each_once(files: Iterable[Path], *, root: Path) -> list[str]:
    """Names relative to the root, in order; a file that is listed twice counts once."""
    by_place: dict[Path, str] = {}
    for file in files:
        name = Path(os.path.relpath(root / file, root)).as_posix()
        by_place.setdefault((root / file).resolve(), name)
    return list(by_place.values())


def _mistakes(file: str, report: CaseReport, hosts: CaseHosts) -> list[Problem]:
    return [
        Problem(
            message=hosts.shown(mistake.message),
            hint=mistake.hint or hosts.reason(mistake.message),
            place=Place(file=file, line=mistake.line),
        )
        for mistake in report.mistakes
    ]


def _unreadable(file: str, report: CaseReport) -> Iterator[Problem]:
    """Yield the requirements whose quoted phrases cannot be told."""
    for marked in report.cases:
        try:
            quoted_phrases(marked.requirement)
        except UnbalancedQuote as error:
            yield Problem(
                message=f'the requirement of "{marked.function}" cannot be read: {error}',
                hint="phrases stand between double quotes, always two of them",
                place=Place(file=file, line=marked.line),
            )


def _senseless(file: str, report: CaseReport, defaults: GateDefaults) -> Iterator[Problem]:
    """Yield what cases say of their gates that no gate can mean, as it is said of scenarios."""
    for marked in report.cases:
        if marked.runs is not None:
            for key, message, hint in gate_mistakes(marked, _gate(marked, defaults)):
                yield Problem(
                    message=f'{key} of "{marked.function}" {message}',
                    hint=hint,
                    place=Place(file=file, line=marked.line),
                )


def _case(file: str, marked: MarkedCase, defaults: GateDefaults) -> Case:
    return Case(
        id=f"{file}::{marked.function}",
        function=marked.function,
        requirement=marked.requirement,
        file=file,
        place=Place(file=file, line=marked.line),
        gate=_gate(marked, defaults),
        tags=frozenset(marked.tags),
        advisory=marked.advisory,
        skip=marked.skip,
    )


def _gate(marked: MarkedCase, defaults: GateDefaults) -> GateRule:
    """Give a case without ``runs`` one run, which must pass, whatever the defaults are."""
    if marked.runs is None:
        return GateRule(kind=GateKind.RATE, runs=1, threshold=Fraction(1))
    return GateRule(
        kind=_gate_kind(marked, defaults),
        runs=marked.runs,
        threshold=exact_rate(marked.threshold).value if marked.threshold else defaults.threshold,
        confidence=defaults.confidence,
        misses=defaults.misses if marked.misses is None else marked.misses,
        min_runs=marked.min_runs,
        early_stop=defaults.early_stop,
    )


def _gate_kind(marked: MarkedCase, defaults: GateDefaults) -> GateKind:
    if marked.gate is not None:
        return GateKind(marked.gate)
    return defaults.kind if marked.misses is None else GateKind.MISSES
