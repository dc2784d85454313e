"""Filling the configured request: data stays data."""

from ci_judge.targets.templating import (
    BODY_NAMES,
    HEADER_NAMES,
    TurnValues,
    fill,
    fill_url,
    unknown_placeholders,
)

HISTORY = [{"role": "user", "content": "hi"}]


def values(message: object = "and refunds?") -> TurnValues:
    return TurnValues(message=message, history=HISTORY, uuid="u-1", port=8123)


def test_a_whole_placeholder_becomes_the_value_itself() -> None:
    assert fill({"m": "{{message}}", "h": "{{ history }}"}, values()) == {
        "m": "and refunds?",
        "h": HISTORY,
    }


def test_inside_longer_text_a_list_becomes_json() -> None:
    assert fill("Q: {{message}} after {{history}}", values()) == (
        'Q: and refunds? after [{"role": "user", "content": "hi"}]'
    )


def test_a_message_of_any_json_kind_keeps_its_kind() -> None:
    assert fill(["{{message}}"], values({"x": [1, None]})) == [{"x": [1, None]}]


def test_what_a_message_holds_is_never_expanded() -> None:
    hostile = "{{uuid}} {{history}} ${TOKEN}"
    assert fill("say {{message}} {{uuid}}", values(hostile)) == f"say {hostile} u-1"


def test_keys_are_filled_and_other_values_left_alone() -> None:
    assert fill({"{{uuid}}": 1, "n": None, "b": True}, values()) == {"u-1": 1, "n": None, "b": True}


def test_a_message_in_a_url_is_encoded() -> None:
    url = fill_url("http://127.0.0.1:{{port}}/ask?q={{message}}", values("a&b=c/ü"))
    assert url == "http://127.0.0.1:8123/ask?q=a%26b%3Dc%2F%C3%BC"


def test_a_misspelt_placeholder_is_named() -> None:
    body = {"text": ["{{mesage}}", "{{uuid}}"], "{{hystory}}": 1}
    assert unknown_placeholders(body, BODY_NAMES) == ("hystory", "mesage")
    assert unknown_placeholders({"X": "{{message}}"}, HEADER_NAMES) == ("message",)


def test_half_a_character_in_a_url_is_replaced_and_stops_nothing() -> None:
    assert fill_url("https://x/?m={{message}}", values("a\ud83db")) == "https://x/?m=a%3Fb"
