import pytest

from ci_judge.errors import InvalidInput
from ci_judge.processes import scrubbed_environment

RUNNER = {
    "PATH": "/usr/bin",
    "HOME": "/root",
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "TZ": "UTC",
    "https_proxy": "http://proxy:3128",
    "NO_PROXY": "localhost",
    "SSL_CERT_FILE": "/ca.pem",
    "GITHUB_TOKEN": "ghs_secret",
    "GITHUB_OUTPUT": "/out",
    "ACTIONS_RUNTIME_TOKEN": "secret",
    "INPUT_GITHUB-TOKEN": "ghs_secret",
    "ANTHROPIC_API_KEY": "sk-secret",
    "PYTHONPATH": "/somewhere",
    "CI": "true",
}


def test_only_what_a_program_needs_is_passed() -> None:
    assert set(scrubbed_environment(RUNNER)) == {
        "PATH",
        "HOME",
        "LANG",
        "LC_ALL",
        "TZ",
        "https_proxy",
        "NO_PROXY",
        "SSL_CERT_FILE",
    }


def test_named_variables_pass_and_unset_ones_do_not_appear() -> None:
    passed = scrubbed_environment(RUNNER, names=["ANTHROPIC_API_KEY", "UNSET"])
    assert passed["ANTHROPIC_API_KEY"] == "sk-secret"
    assert "GITHUB_TOKEN" not in passed
    assert "UNSET" not in passed


def test_extra_values_win() -> None:
    assert scrubbed_environment(RUNNER, extra={"PATH": "/venv/bin"})["PATH"] == "/venv/bin"


@pytest.mark.parametrize(
    "name",
    [
        *("GITHUB_OUTPUT", "GITHUB_ENV", "GITHUB_STEP_SUMMARY", "GITHUB_TOKEN", "github_token"),
        *("ACTIONS_RUNTIME_TOKEN", "INPUT_X"),
    ],
)
def test_the_channels_of_the_runner_never_pass(name: str) -> None:
    with pytest.raises(InvalidInput, match=f'"{name}" is never passed'):
        scrubbed_environment({name: "x"}, names=[name])
    with pytest.raises(InvalidInput, match=f'"{name}" is never passed'):
        scrubbed_environment({}, extra={name: "x"})
    assert name not in scrubbed_environment({name: "x"})
