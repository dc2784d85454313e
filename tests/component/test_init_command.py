"""``ci-judge init``: what it writes is a suite that loads; what is there is kept."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from ci_judge.cli.init import command
from ci_judge.errors import InvalidInput
from ci_judge.model.suite import GateKind, Suite
from ci_judge.rules.adaptive import adaptive_forecast
from ci_judge.rules.gates import boundary
from ci_judge.settings import load_settings
from ci_judge.suites.criteria import criteria_doubts, load_criteria
from ci_judge.suites.linting import gate_problems, warnings
from ci_judge.suites.paths import find_files
from ci_judge.suites.scenarios import load_scenarios
from ci_judge.workflows.initialise import initialise

REPOSITORY = Path(__file__).parent.parent.parent
NAMES = [
    "ci-judge.yaml",
    "acceptance.md",
    "scenarios/first.yaml",
    ".github/workflows/ci-judge.yml",
    ".gitignore",
]


def outcomes(folder: Path) -> dict[str, str]:
    return {file.path: file.outcome for file in initialise(folder, version="1.2.3")}


def test_a_new_folder_gets_every_file(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "project"
    assert outcomes(folder) == dict.fromkeys(NAMES, "written")
    assert [name for name in NAMES if not (folder / name).is_file()] == []


def test_what_is_written_loads_and_has_no_warning(tmp_path: Path) -> None:
    initialise(tmp_path, version="1.2.3")
    settings = load_settings(config=None, cwd=tmp_path, environment={}, overrides={})
    suite = settings.suite
    found = find_files(
        settings.root, criteria=suite.criteria, paths=suite.paths, pattern=suite.pattern
    )
    criteria = load_criteria(found.criteria_files, root=settings.root)
    scenarios = load_scenarios(
        found.scenario_files,
        criteria,
        settings.gate_defaults(),
        root=settings.root,
        targets=frozenset(settings.targets),
    )
    loaded = Suite(criteria=criteria, scenarios=scenarios)
    assert len(scenarios) == 2
    assert gate_problems(loaded.tests, allow_unreachable=False) == ()
    assert warnings(loaded, providers={"stub"}, policies=[settings.vote_policy()]) == ()
    assert criteria_doubts(found.criteria_files, root=settings.root) == ()
    assert settings.warnings == ()


def test_the_gate_is_the_one_that_the_comment_explains(tmp_path: Path) -> None:
    initialise(tmp_path, version="1.2.3")
    settings = load_settings(config=None, cwd=tmp_path, environment={}, overrides={})
    found = find_files(tmp_path, criteria=None, paths=None, pattern="x")
    criteria = load_criteria(found.criteria_files, root=tmp_path)
    first, *_ = load_scenarios(
        found.scenario_files,
        criteria,
        settings.gate_defaults(),
        root=tmp_path,
        targets=frozenset(),
    )
    text = (tmp_path / "ci-judge.yaml").read_text(encoding="utf-8")
    gate = first.gate
    assert (gate.kind, gate.min_runs, gate.runs) == (GateKind.ADAPTIVE, 20, 100)
    scores = ", ".join(f"{n - m} of {n}" for m, n in enumerate(boundary(gate).needed[:3]))
    assert f"after {scores}" in text
    assert boundary(gate).needed[0] == gate.min_runs  # nothing can pass before
    good, best = (adaptive_forecast(gate, rate) for rate in (0.95, 0.99))
    assert f"passes {good.pass_probability:.0%}".replace("%", " %") in text
    assert f"after {good.expected_runs:.0f} runs on average" in text
    assert f"99 % of the time after {best.expected_runs:.0f}." in text


def test_nothing_that_exists_is_changed(tmp_path: Path) -> None:
    initialise(tmp_path, version="1.2.3")
    before = {name: (tmp_path / name).read_bytes() for name in NAMES}
    assert outcomes(tmp_path) == dict.fromkeys(NAMES, "kept")
    assert {name: (tmp_path / name).read_bytes() for name in NAMES} == before


def test_a_configuration_in_toml_is_a_configuration(tmp_path: Path) -> None:
    (tmp_path / "ci-judge.toml").touch()
    assert outcomes(tmp_path)["ci-judge.toml"] == "kept"
    assert not (tmp_path / "ci-judge.yaml").exists()


def test_no_scenarios_are_written_for_a_criterion_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "acceptance.md").write_text("## My own\nText.\n", encoding="utf-8")
    assert outcomes(tmp_path)["scenarios/first.yaml"] == "left out"
    assert not (tmp_path / "scenarios").exists()
    (tmp_path / "acceptance.md").write_text("## ...\n", encoding="utf-8")
    assert outcomes(tmp_path)["scenarios/first.yaml"] == "left out"


@pytest.mark.parametrize(
    ("before", "outcome", "after"),
    [
        (b"dist/", "extended", b"dist/\nci-judge-report/\n.ci-judge/\n*.local.yaml\n"),
        (
            b"/.ci-judge/\n*.local.yaml\n",
            "extended",
            b"/.ci-judge/\n*.local.yaml\nci-judge-report/\n",
        ),
        (b"\xff\n", "extended", b"\xff\nci-judge-report/\n.ci-judge/\n*.local.yaml\n"),
        (b"*.local.yaml\nci-judge-report/\n.ci-judge/", "kept", None),
    ],
)
def test_gitignore_gets_the_lines_it_lacks(
    tmp_path: Path, before: bytes, outcome: str, after: bytes | None
) -> None:
    (tmp_path / ".gitignore").write_bytes(before)
    assert outcomes(tmp_path)[".gitignore"] == outcome
    assert (tmp_path / ".gitignore").read_bytes() == (before if after is None else after)


def test_what_links_lead_to_is_left_alone(tmp_path: Path) -> None:
    """A repository may bring them along, as may one that leads to a file that is not there yet."""
    folder, elsewhere = tmp_path / "project", tmp_path / "elsewhere"
    (folder / ".github/workflows").mkdir(parents=True)
    elsewhere.mkdir()
    (elsewhere / "profile").write_text("mine\n")
    for name in ("acceptance.md", ".github/workflows/ci-judge.yml"):
        (folder / name).symlink_to(elsewhere / "new")
    (folder / ".gitignore").symlink_to(elsewhere / "profile")
    found = outcomes(folder)
    assert (found["acceptance.md"], found[".github/workflows/ci-judge.yml"]) == ("kept", "kept")
    assert found[".gitignore"] == "left out"
    assert [(each.name, each.read_text()) for each in elsewhere.iterdir()] == [
        ("profile", "mine\n")
    ]


def test_a_folder_that_cannot_be_written_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "scenarios").write_text("in the way", encoding="utf-8")
    with pytest.raises(InvalidInput, match=r"scenarios.* cannot be written"):
        initialise(tmp_path, version="1.2.3")


def test_the_command_tells_what_it_did(tmp_path: Path) -> None:
    (tmp_path / "acceptance.md").write_text("## My own\n", encoding="utf-8")
    result = CliRunner().invoke(command, [str(tmp_path)])
    assert result.exit_code == 0
    lines = result.output.splitlines()
    assert lines[:2] == ["written  ci-judge.yaml", "kept     acceptance.md"]
    assert lines[2].startswith("left out scenarios/first.yaml (its criterion is not in")
    assert lines[-1] == "Next: name your endpoint in ci-judge.yaml, then run ci-judge check."


def test_cases_that_have_their_configuration_are_given_no_criteria(tmp_path: Path) -> None:
    (tmp_path / "cases").mkdir()
    case = "import ci_judge\n@ci_judge.case('R')\ndef test_a(): ...\n"
    (tmp_path / "cases/case_shop.py").write_text(case, encoding="utf-8")
    (tmp_path / "ci-judge.yaml").write_text("suite: {paths: [cases]}\n", encoding="utf-8")
    found = outcomes(tmp_path)
    assert found["acceptance.md"] == found["scenarios/first.yaml"] == "left out"
    assert found[".github/workflows/ci-judge.yml"] == "written"
    assert not (tmp_path / "acceptance.md").exists()


def test_cases_beside_criteria_change_nothing(tmp_path: Path) -> None:
    (tmp_path / "case_shop.py").write_text("", encoding="utf-8")
    (tmp_path / "ci-judge.yaml").write_text("", encoding="utf-8")
    (tmp_path / "scenarios").mkdir()
    assert outcomes(tmp_path)["acceptance.md"] == "written"


def test_a_configuration_that_is_kept_has_its_endpoint_already(tmp_path: Path) -> None:
    (tmp_path / "ci-judge.yaml").write_text("target: {url: http://x.example}\n", encoding="utf-8")
    result = CliRunner().invoke(command, [str(tmp_path)])
    assert result.output.splitlines()[-1] == "Next: run ci-judge check and ci-judge run."


def test_editors_are_told_the_schemas(tmp_path: Path) -> None:
    initialise(tmp_path, version="1.2.3")
    for name, schema in (("ci-judge.yaml", "config"), ("scenarios/first.yaml", "scenarios")):
        first = (tmp_path / name).read_text().splitlines()[0]
        assert first.startswith("# yaml-language-server: $schema=https://")
        assert first.endswith(f"/v1.2.3/schemas/{schema}.schema.json")
        assert (REPOSITORY / "schemas" / f"{schema}.schema.json").is_file()
