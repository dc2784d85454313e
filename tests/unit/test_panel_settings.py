"""The section ``judge`` with a panel: what holds for whom, and what is refused."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

import pytest

from ci_judge.errors import InvalidInput
from ci_judge.judges.keys import missing_keys
from ci_judge.judges.registry import PROVIDERS
from ci_judge.judges.settings import OF_THE_PANEL, SHARED_BY_PANEL, JudgeSettings, ProviderName
from ci_judge.settings import Settings, load_settings

TWO = "[{provider: stub}, {provider: systemone}]"


def load(
    folder: Path,
    text: str,
    environment: Mapping[str, str] | None = None,
    overrides: Mapping[str, Any] | None = None,
) -> Settings:
    (folder / "ci-judge.yaml").write_text(text, encoding="utf-8")
    return load_settings(
        config=None, cwd=folder, environment=environment or {}, overrides=overrides or {}
    )


def judge_of(folder: Path, text: str, **given: Any) -> JudgeSettings:
    judge = load(folder, text, **given).judge
    assert judge is not None
    return judge


def refused(folder: Path, text: str, **given: Any) -> list[str]:
    with pytest.raises(InvalidInput) as caught:
        load(folder, text, **given)
    return [str(problem) for problem in caught.value.problems]


def test_what_stands_beside_the_panel_holds_for_each_judge_without_its_own(tmp_path: Path) -> None:
    judge = judge_of(
        tmp_path,
        """\
judge:
  panel_rule: all
  mode: sample
  threshold: 0.80
  minimum_pass_rate: 1
  timeout: 7s
  panel:
    - provider: stub
    - {provider: systemone, mode: threshold, threshold: 0.30, repetitions: 5, timeout: 9s}
""",
    )
    first, second = judge.members
    assert (first.provider, first.mode, first.used_repetitions) == ("stub", "sample", 3)
    assert (second.mode, second.used_repetitions) == ("threshold", 5)
    assert [str(each.threshold) for each in judge.members] == ["0.80", "0.30"]
    assert [str(each.minimum_pass_rate) for each in judge.members] == ["1", "1"]
    assert [each.timeout for each in judge.members] == [7.0, 9.0]
    assert (judge.provider, judge.panel_rule) == ("panel", "all")


def test_a_majority_decides_unless_another_rule_is_set(tmp_path: Path) -> None:
    assert judge_of(tmp_path, f"judge: {{panel: {TWO}}}").panel_rule == "majority"


def test_a_single_judge_is_its_own_only_member(tmp_path: Path) -> None:
    judge = judge_of(tmp_path, "judge: {provider: stub, repetitions: 3}")
    assert judge.members == (judge,)


def test_every_provider_can_sit_in_a_panel() -> None:
    assert set(PROVIDERS) == set(get_args(ProviderName))
    assert set(JudgeSettings.model_fields) >= {*SHARED_BY_PANEL, *OF_THE_PANEL}
    assert not OF_THE_PANEL & set(SHARED_BY_PANEL)


@pytest.mark.parametrize(
    ("judge", "problem"),
    [
        ("{panel: [{provider: stub}]}", "judge.panel must hold 2 to 20 judges, not 1"),
        ("{provider: panel}", "judge.panel must hold 2 to 20 judges, not 0"),
        (
            f"{{panel: [{{provider: stub}}, {{panel: {TWO}}}]}}",
            "judge.panel[1].panel is a panel, and a panel holds single judges",
        ),
        (
            f"{{provider: stub, panel: {TWO}}}",
            (
                "judge.panel does not go with judge.provider stub "
                "(keep one of the two, or write this judge into judge.panel)"
            ),
        ),
        (
            f"{{model: m, panel: {TWO}}}",
            "judge.model is a single judge's (write it in the entries of judge.panel)",
        ),
        (
            "{provider: stub, panel_rule: any}",
            "judge.panel_rule says nothing without judge.panel (remove it)",
        ),
        (
            "{panel: [{provider: stub}, {provider: stub, seed: 3}]}",
            "judge.panel[1].seed is one for all judges (set run.seed)",
        ),
        (
            "{panel: [{provider: stub}, {provider: openai}]}",
            "judge.panel[1].model is missing (name a model of openai)",
        ),
    ],
)
def test_what_makes_no_panel_is_refused(tmp_path: Path, judge: str, problem: str) -> None:
    (found,) = refused(tmp_path, f"judge: {judge}")
    assert found.startswith("ci-judge.yaml:1:")
    assert found.endswith(f": {problem}")


def test_all_mistakes_in_a_panel_are_told_at_once(tmp_path: Path) -> None:
    text = "judge: {panel_rule: most, panel: [{model: x}, {provider: stub, modle: x}, stub]}"
    found = "\n".join(refused(tmp_path, text))
    for said in ('"most"', "judge.panel[0].provider", '"modle"', "judge.panel[2]"):
        assert said in found


def test_an_overriding_provider_replaces_the_panel(tmp_path: Path) -> None:
    text = f"judge: {{panel: {TWO}, panel_rule: all, repetitions: 2}}"
    judge = judge_of(tmp_path, text, overrides={"judge.provider": "stub"})
    assert (judge.provider, judge.panel, judge.used_repetitions) == ("stub", (), 2)


def test_an_overriding_panel_replaces_the_single_judge(tmp_path: Path) -> None:
    panel = json.dumps([{"provider": "stub"}, {"provider": "systemone", "model": "m"}])
    judge = judge_of(
        tmp_path,
        "judge: {provider: anthropic, model: m, api_key_env: MY_KEY, timeout: 7s}",
        environment={"CI_JUDGE_JUDGE_PANEL": panel},
    )
    assert [each.provider for each in judge.members] == ["stub", "systemone"]
    assert [each.timeout for each in judge.members] == [7.0, 7.0]


def test_variables_are_filled_in_and_never_published(tmp_path: Path) -> None:
    settings = load(
        tmp_path,
        """\
judge:
  panel:
    - {provider: openai, model: m, base_url: "https://${HOST}/v1", api_key: "${KEY}"}
    - {provider: openai, model: n, api_key: sk-literal}
""",
        environment={"HOST": "judge.example", "KEY": "sk-secret-1"},
    )
    assert settings.judge is not None
    first, second = settings.judge.members
    assert (first.base_url, first.api_key) == ("https://judge.example/v1", "sk-secret-1")
    shown = json.dumps(settings.public())
    assert "sk-secret-1" not in shown
    assert "sk-literal" not in shown
    assert "${KEY}" in shown
    assert second.api_key == "sk-literal"
    assert any("judge.panel[1].api_key stands in the file" in each for each in settings.warnings)


def test_an_unset_variable_in_a_panel_is_refused(tmp_path: Path) -> None:
    text = 'judge: {panel: [{provider: stub}, {provider: openai, model: m, api_key: "${KEY}"}]}'
    (found,) = refused(tmp_path, text)
    assert 'the variable "KEY" in judge.panel[1].api_key is not set' in found


def test_a_refused_key_is_not_shown(tmp_path: Path) -> None:
    text = "judge: {panel: [{provider: stub}, {provider: openai, model: m, api_key: [s3cret]}]}"
    assert "s3cret" not in "\n".join(refused(tmp_path, text))


def test_the_keys_of_all_judges_are_missed_at_once_and_each_variable_once(tmp_path: Path) -> None:
    judge = judge_of(
        tmp_path,
        """\
judge:
  panel:
    - {provider: anthropic, model: m}
    - provider: stub
    - {provider: openai, model: a, api_key_env: MINE}
    - {provider: openai, model: b, api_key_env: MINE}
""",
    )
    first, second = missing_keys(judge, {})
    assert "ANTHROPIC_API_KEY is empty" in str(first)
    assert "judge.panel[0].api_key_env" in str(first)
    assert "MINE is empty" in str(second)
    keys = {"ANTHROPIC_API_KEY": "k-1", "MINE": "k-2"}
    assert missing_keys(judge, keys) == ()


def test_draws_without_any_likelihood_are_doubted(tmp_path: Path) -> None:
    boolean = "{panel: [{provider: stub}, {provider: openai, model: m}], mode: sample}"
    assert any(
        "gives no likelihood" in each for each in load(tmp_path, f"judge: {boolean}").warnings
    )
    mixed = f"{{panel: {TWO}, mode: sample}}"
    assert not any("likelihood" in each for each in load(tmp_path, f"judge: {mixed}").warnings)


def test_the_same_judge_twice_is_doubted(tmp_path: Path) -> None:
    same = "{panel: [{provider: systemone}, {provider: stub}, {provider: systemone}]}"
    assert any("the same judge twice" in each for each in load(tmp_path, f"judge: {same}").warnings)
    assert not any("twice" in each for each in load(tmp_path, f"judge: {{panel: {TWO}}}").warnings)
