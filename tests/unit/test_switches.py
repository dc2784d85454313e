"""Flags without a value, as overrides of the configuration."""

from typing import Any

import click
import pytest
from click.testing import CliRunner

from ci_judge.cli.options import given_overrides, overrides
from ci_judge.settings import Given


@pytest.mark.parametrize(
    ("words", "given"),
    [
        ([], {}),
        (["--early-stop"], {"run.early_stop": Given(value="true", by="--early-stop")}),
        (
            ["--early-stop", "--runs", "5"],
            {
                "run.runs": Given(value="5", by="--runs"),
                "run.early_stop": Given(value="true", by="--early-stop"),
            },
        ),
    ],
)
def test_a_switch_sets_its_key_and_says_who_did(words: list[str], given: dict[str, Given]) -> None:
    heard: list[dict[str, Given]] = []

    @click.command
    @overrides
    def command(**values: Any) -> None:
        heard.append(given_overrides(values))

    result = CliRunner().invoke(command, words, catch_exceptions=False)
    assert result.exit_code == 0
    assert heard == [given]
