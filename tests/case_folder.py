"""A folder of case files, discovered and called by the real thing in real processes."""

import asyncio
import os
import textwrap
from collections.abc import Awaitable, Callable, Iterable, Mapping
from pathlib import Path
from typing import TypeVar

from ci_judge.model.evidence import CaseValue, EvidenceFailure
from ci_judge.model.suite import Case, GateDefaults
from ci_judge.processes import Children
from ci_judge.suites.cases import CaseHosts, discover_cases

T = TypeVar("T")

NOTHING_HANGS_SECONDS = 60.0


class CaseFolder:
    """Case files below ``root``. Every use starts from new processes and ends them all."""

    def __init__(
        self,
        root: Path,
        *,
        timeout_seconds: float = NOTHING_HANGS_SECONDS,
        import_seconds: float | None = None,
        names: Iterable[str] = (),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.root = root
        self.timeout_seconds = timeout_seconds
        self.import_seconds = import_seconds
        self.names = tuple(names)
        self.environment = {"PATH": os.defpath} if environment is None else environment
        self.files: list[Path] = []

    def write(self, name: str, code: str) -> None:
        """Write a case file; every one begins with the import of ``case`` on its first line."""
        path = self.write_helper(name, f"from ci_judge import case\n{textwrap.dedent(code)}")
        self.files.append(path)

    def write_helper(self, name: str, code: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(code, encoding="utf-8")
        return path

    def discover(self, defaults: GateDefaults | None = None) -> tuple[Case, ...]:
        return self.use(
            lambda hosts: discover_cases(
                self.files, defaults=defaults or GateDefaults(), hosts=hosts
            )
        )

    def call_all(self) -> dict[str, CaseValue | EvidenceFailure]:
        """Call every case once, all at the same time, and return the outcomes by function."""

        async def calls(hosts: CaseHosts) -> dict[str, CaseValue | EvidenceFailure]:
            cases = await discover_cases(self.files, defaults=GateDefaults(), hosts=hosts)
            outcomes = await asyncio.gather(*(hosts.call(case, run_number=1) for case in cases))
            return {case.function: outcome for case, outcome in zip(cases, outcomes, strict=True)}

        return self.use(calls)

    def hosts(self, children: Children) -> CaseHosts:
        return CaseHosts(
            children=children,
            root=self.root,
            timeout_seconds=self.timeout_seconds,
            environment=self.environment,
            names=self.names,
            import_seconds=self.import_seconds,
        )

    def use(self, work: Callable[[CaseHosts], Awaitable[T]]) -> T:
        async def main() -> T:
            async with (
                asyncio.timeout(NOTHING_HANGS_SECONDS),
                Children() as children,
                self.hosts(children) as hosts,
            ):
                return await work(hosts)

        return asyncio.run(main())


def value_of(outcome: CaseValue | EvidenceFailure) -> object:
    assert isinstance(outcome, CaseValue), outcome
    return outcome.value


def failure_of(outcome: CaseValue | EvidenceFailure) -> EvidenceFailure:
    assert isinstance(outcome, EvidenceFailure), outcome
    return outcome
