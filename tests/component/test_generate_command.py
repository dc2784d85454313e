"""``ci-judge generate``: drafts on disk that load, that the stub can check, and that are kept."""

import asyncio
from datetime import date
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner

from ci_judge.cli.generate import command
from ci_judge.errors import InvalidInput
from ci_judge.model.suite import GateDefaults, Suite
from ci_judge.suites.criteria import load_criteria
from ci_judge.suites.linting import gate_problems, warnings
from ci_judge.suites.scenarios import load_scenarios
from ci_judge.workflows.drafting.writers import Order, StubWriter
from ci_judge.workflows.generate import (
    GeneratedFile,
    Job,
    generate,
    is_outside,
    read_criteria,
)

ACCEPTANCE = """\
# The shop

## Refund policy {#refunds}
Anything can be sent back within "14 days". The *full price* is paid back.

## Yes
Never says "40 days": nobody gets more than 14.

## 返金ポリシー

## A heading that goes on and on, for quite a while, as headings at times do, and then ends
- Delivery takes 3 to 5 working days: see `the table`.
- It's "free of charge" from 50 euros # as of today

## Quotes {#a.b_c}
A 6" shelf & a {brace}, 'single' and: colons; 100 % of it.
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "acceptance.md").write_text(ACCEPTANCE, encoding="utf-8")
    return tmp_path


def generated(
    root: Path, *, force: bool = False, adversarial: bool = False
) -> list[tuple[str, str, int]]:
    order = Order(count=6, adversarial=adversarial)
    job = Job(root=root, order=order, force=force, today=date(2026, 11, 30))

    async def files() -> list[GeneratedFile]:
        criteria = read_criteria(root, None, only=None)
        return [file async for file in generate(criteria, job, StubWriter())]

    return [(Path(f.path).stem, f.outcome, f.scenarios) for f in asyncio.run(files())]


@pytest.mark.parametrize("adversarial", [False, True])
def test_every_generated_file_loads_and_gives_the_stub_something_to_check(
    root: Path, *, adversarial: bool
) -> None:
    files = generated(root, adversarial=adversarial)
    assert [(name, outcome) for name, outcome, _ in files] == [
        (f"{criterion.id}.adversarial" if adversarial else criterion.id, "written")
        for criterion in read_criteria(root, None, only=None)
    ]
    criteria = load_criteria([root / "acceptance.md"], root=root)
    paths = sorted((root / "scenarios" / "generated").glob("*.yaml"))
    scenarios = load_scenarios(
        paths,
        criteria,
        GateDefaults(runs=30, threshold=Fraction(4, 5)),
        root=root,
        targets=frozenset(),
    )
    assert len(scenarios) == sum(count for _, _, count in files)
    assert {scenario.criterion.id for scenario in scenarios} == {each.id for each in criteria}
    assert {each.kind == "adversarial" for each in scenarios} == {adversarial}
    assert all(expected.phrases for each in scenarios for expected in each.expectations)
    suite = Suite(criteria=criteria, scenarios=scenarios)
    assert gate_problems(suite.tests, allow_unreachable=False) == ()
    assert warnings(suite, providers={"stub"}, policies=()) == ()


def test_the_same_criteria_make_the_same_files(root: Path) -> None:
    def texts() -> list[str]:
        generated(root, force=True)
        paths = sorted((root / "scenarios" / "generated").iterdir())
        return [path.read_text(encoding="utf-8") for path in paths]

    first = texts()
    assert texts() == first
    assert all(text.startswith("# Drafted by ci-judge generate (provider: stub)") for text in first)


def test_attempts_and_usual_scenarios_stand_side_by_side(root: Path) -> None:
    generated(root)
    generated(root, adversarial=True)
    criteria = load_criteria([root / "acceptance.md"], root=root)
    scenarios = load_scenarios(
        sorted((root / "scenarios" / "generated").glob("*.yaml")),
        criteria,
        GateDefaults(),
        root=root,
        targets=frozenset(),
    )
    assert {each.kind for each in scenarios} == {"happy_path", "edge_case", "adversarial"}


def test_files_of_people_are_kept_unless_forced(root: Path) -> None:
    generated(root)
    mine = root / "scenarios" / "generated" / "refunds.yaml"
    mine.write_text("# mine\n", encoding="utf-8")
    assert {outcome for _, outcome, _ in generated(root)} == {"kept"}
    assert mine.read_text(encoding="utf-8") == "# mine\n"
    assert {outcome for _, outcome, _ in generated(root, force=True)} == {"replaced"}
    assert "criterion: refunds" in mine.read_text(encoding="utf-8")


def test_a_file_that_cannot_be_written_costs_no_other(root: Path) -> None:
    (root / "scenarios" / "generated" / "refunds.yaml").mkdir(parents=True)
    outcomes = {name: outcome for name, outcome, _ in generated(root, force=True)}
    assert outcomes.pop("refunds") == "failed"
    assert set(outcomes.values()) == {"written"}
    left = {path.name for path in (root / "scenarios" / "generated").iterdir()}
    assert left == {f"{name}.yaml" for name in (*outcomes, "refunds")}


def test_one_criterion_alone(root: Path) -> None:
    (criterion,) = read_criteria(root, None, only="refunds")
    assert criterion.id == "refunds"
    with pytest.raises(InvalidInput, match=r'no criterion "refund".*known: "refunds"'):
        read_criteria(root, None, only="refund")


def test_no_criteria_at_all(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"acceptance\.md"):
        read_criteria(tmp_path, None, only=None)


def test_paths_that_lead_past_the_drafts_are_noticed(root: Path) -> None:
    generated(root)
    (root / "other").mkdir()
    (root / "other" / "a.yaml").touch()
    assert is_outside(root, ["other"])
    assert not is_outside(root, ["scenarios"])
    assert not is_outside(root, None)
    assert not is_outside(root, ["nowhere"])


def test_the_command(root: Path) -> None:
    config = root / "ci-judge.yaml"
    config.write_text(
        "suite: {paths: [scenarios]}\ntarget: {url: http://127.0.0.1:1/}\n"
        "judge: {provider: stub}\ngenerate: {scenarios_per_criterion: 2}\n",
        encoding="utf-8",
    )
    arguments = ["--config", str(config), "--criterion", "refunds"]
    first = CliRunner().invoke(command, arguments)
    assert first.output == "written  scenarios/generated/refunds.yaml (2 scenarios)\n"
    second = CliRunner().invoke(command, arguments)
    assert second.output == "kept     scenarios/generated/refunds.yaml (--force replaces it)\n"
    third = CliRunner().invoke(command, [*arguments, "--force"])
    assert third.output == "replaced scenarios/generated/refunds.yaml (2 scenarios)\n"


def test_the_command_fails_when_a_file_could_not_be_written(root: Path) -> None:
    config = root / "ci-judge.yaml"
    config.write_text("judge: {provider: stub}\n", encoding="utf-8")
    (root / "scenarios").write_text("in the way", encoding="utf-8")
    result = CliRunner().invoke(command, ["--config", str(config), "--criterion", "refunds"])
    assert isinstance(result.exception, InvalidInput)
    assert "scenarios/generated/refunds.yaml cannot be written" in str(result.exception)
    assert result.output.startswith("failed   scenarios/generated/refunds.yaml\n")
