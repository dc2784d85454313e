"""What the environment gives to requests: values of headers, proxies, authorities."""

from typing import Any

import pytest

from tests.cases.collection import required
from tests.cases.tls import make_authority, tls_endpoint
from tests.cases.workbench import Open

required()

HEADER_VALUES = [
    # The design: unset or empty is an error before any request.
    (None, "HELD_TOKEN"),
    ("", "HELD_TOKEN"),
    ("tok-1\r\nX-Evil: 1", "HELD_TOKEN"),
]


@pytest.mark.parametrize(("value", "named"), HEADER_VALUES)
def test_h37_a_header_without_its_value_stops_the_run(
    bench: Open, value: str | None, named: str
) -> None:
    case = bench("H37")
    case.change(env={"HELD_TOKEN": value})
    with case.servers() as running:
        outcome = case.run(running)
        assert running.asked("endpoint") == []
    assert outcome.exit_code == 2
    assert named in outcome.err
    assert "uthorization" in outcome.err
    assert "tok-1" not in outcome.printed
    assert "X-Evil" not in outcome.printed


def test_h37_a_line_end_behind_a_secret_is_stripped_or_refused(bench: Open) -> None:
    case = bench("H37")
    case.change(env={"HELD_TOKEN": "tok-1\n"})
    with case.servers() as running:
        outcome = case.run(running)
        sent = [headers_of(request)["authorization"] for request in running.asked("endpoint")]
    assert outcome.exit_code == 2 or sent == ["Bearer tok-1"]


def headers_of(request: dict[str, Any]) -> dict[str, str]:
    return {key.lower(): value for key, value in request["headers"].items()}


def test_h37_several_variables_and_dollars_that_are_meant(bench: Open) -> None:
    case = bench("H37")
    case.change(
        env={"HELD_TOKEN": "tok-held-000", "held_token": "low-held-000"},
        target={"headers": {"X-Both": "${HELD_TOKEN}/${held_token}", "X-Price": "$5 $$ {x}"}},
    )
    with case.servers() as running:
        case.run(running)
        (request,) = running.asked("endpoint")
    assert headers_of(request)["x-both"] == "tok-held-000/low-held-000"
    assert headers_of(request)["x-price"] == "$5 $$ {x}"


def test_h38_proxies_are_taken_from_the_environment(bench: Open) -> None:
    case = bench("H38")
    through, past = case.load("env_cases.json")[::-1]
    with case.servers() as running:
        for environment in (through, past):  # a loopback address is never given to a proxy
            assert case.run(running, changes={}, **proxies(environment)).outcomes == ["pass"]
        changes = {"target": {"url": "http://endpoint.invalid/chat"}}
        outcome = case.run(running, changes=changes, **proxies(through))
        assert len(running.asked("endpoint")) == 2
    assert outcome.outcomes == ["target_error"]
    assert "127.0.0.1:9" in outcome.reasons[0]


def proxies(entry: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in entry.items() if name.endswith("_PROXY") and value}


def test_h38_the_judge_honours_the_same_proxies(bench: Open) -> None:
    case = bench("H38")
    case.change(judge={"provider": "anthropic", "replies": [{"status": 200, "json": {}}]})
    through = proxies(case.load("env_cases.json")[1])
    with case.servers() as running:
        outcome = case.run(
            running,
            changes={"judge": {"base_url": "http://judge.invalid", "retries": 0}},
            **through | {"NO_PROXY": "127.0.0.1"},
        )
    assert outcome.outcomes == ["judge_error"]
    assert "127.0.0.1:9" in outcome.reasons[0]


def test_h38_an_authority_of_ones_own_is_named_in_a_variable(bench: Open) -> None:
    case = bench("H38")
    make_authority(case.root)
    with tls_endpoint(case.root, "You have 14 days.") as url, case.servers() as running:
        target = {"target": {"url": f"{url}/chat"}}
        stranger = case.run(running, changes=target)
        known = case.run(running, changes=target, SSL_CERT_FILE=str(case.root / "ca.pem"))
    assert stranger.outcomes == ["target_error"]
    assert "localhost" in stranger.reasons[0]
    assert "SSL_CERT_FILE" in stranger.reasons[0]
    assert known.outcomes == ["pass"]
