import base64
import html
import json
import re
import time
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ci_judge.redaction import MASK, WITHHELD, Redactor, header_secrets, secret_values, url_secrets

SECRET = 'sk/ä+"9 <x>\\=?'

SECRETS = st.text(min_size=8, max_size=40).filter(lambda text: len(text.strip()) >= 8)
AROUND = st.binary(max_size=7)


def test_a_secret_is_masked_and_its_neighbours_stay() -> None:
    assert Redactor(["hunter2hunter2"]).text("a hunter2hunter2 b") == f"a {MASK} b"


@pytest.mark.parametrize(
    "spelling",
    [
        quote(SECRET, safe=""),
        re.sub("%..", lambda found: found[0].lower(), quote(SECRET, safe="")),
        quote_plus(SECRET),
        json.dumps(SECRET)[1:-1],
        json.dumps(SECRET, ensure_ascii=False)[1:-1],
        json.dumps(SECRET)[1:-1].replace("/", "\\/"),
        html.escape(SECRET),
        json.dumps(json.dumps(SECRET)[1:-1])[1:-1],
        repr([json.dumps(SECRET)])[3:-3],
        json.dumps(repr([SECRET])[2:-2])[1:-1],
    ],
)
def test_every_spelling_of_a_secret_is_masked(spelling: str) -> None:
    assert Redactor([SECRET]).text(f"<{spelling}>") == f"<{MASK}>"


@given(secret=SECRETS, before=AROUND, after=AROUND)
def test_base64_is_masked_wherever_the_secret_begins_in_it(
    secret: str, before: bytes, after: bytes
) -> None:
    inside = secret.encode(errors="replace")
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        encoded = encode(before + inside + after).decode()
        shown = Redactor([secret]).text(encoded)
        assert MASK in shown
        # what is left of the secret shares its few characters with what stands around it
        assert len(encoded) - len(shown.replace(MASK, "")) >= len(inside) * 8 // 6 - 2


@given(secret=SECRETS, text=st.text(), at=st.integers(0, 50))
def test_no_secret_survives_in_any_text(secret: str, text: str, at: int) -> None:
    hidden = Redactor([secret]).text(text[:at] + secret + text[at:])
    assert secret not in hidden.replace(MASK, "\0")


def test_a_secret_that_was_put_on_one_line_is_masked() -> None:
    assert Redactor(["correct  horse\tbattery"]).text("no correct horse battery!") == f"no {MASK}!"


def test_overlapping_secrets_leave_nothing_of_either() -> None:
    redactor = Redactor(["abcdefgh", "efghijkl"])
    assert redactor.text("<abcdefghijkl>") == f"<{MASK}>"


def test_each_long_line_of_a_secret_is_a_secret() -> None:
    redactor = Redactor(["-----BEGIN KEY-----\nMIIEvQIBADANBg\nshort\n"])
    assert redactor.text("MIIEvQIBADANBg and short") == f"{MASK} and short"
    assert "MIIEvQIBADANBg" in redactor.masks


def test_short_secrets_do_not_blank_the_report() -> None:
    redactor = Redactor(["main", "14", "", " " * 9, "a        b", "main" + " " * 9])
    text = "main: 14 of 14 a b         ."
    assert redactor.text(text) == text


def test_values_keep_their_shape() -> None:
    redactor = Redactor(["12345678", "topsecret"])
    value = {"topsecret": [1, 12345678, True, None, 2.5, "a topsecret", ("topsecret",)]}
    assert redactor.value(value) == {MASK: [1, MASK, True, None, 2.5, f"a {MASK}", [MASK]]}
    assert value["topsecret"][1] == 12345678, "the original is not changed"


def test_deep_values_do_not_overflow() -> None:
    deep: object = "topsecret"
    for _ in range(100_000):
        deep = [deep]
    shown = Redactor(["topsecret"]).value(deep)
    for _ in range(100_000):
        shown = shown[0]
    assert shown == MASK


def test_five_megabytes_take_about_as_long_as_reading_them() -> None:
    redactor = Redactor([f"a{index:08}" for index in range(20)])
    text = "aaaaaaa0" * 650_000
    started = time.process_time()
    assert redactor.text(text) == text
    assert time.process_time() - started < 20, "linear; quadratic takes hours"


def test_patterns_of_the_configuration_are_masked() -> None:
    assert Redactor([], [r"\d{4}-\d{4}"]).text("card 1234-5678!") == f"card {MASK}!"


def test_a_pattern_that_takes_too_long_withholds_the_text() -> None:
    def substitute(pattern: str, replacement: str, text: str) -> str:
        if pattern == "slow":
            raise TimeoutError
        return re.sub(pattern, replacement, text)

    assert Redactor([], ["slow", "x"], substitute=substitute).text("xyz") == WITHHELD


def test_used_variables_are_secrets_when_their_name_says_so() -> None:
    environment = {
        "STAGING_TOKEN": "0123456789",
        "MY_API_KEY": "abcdefghij",
        "REGION": "eu-central-1",
        "UNUSED_TOKEN": "zzzzzzzzzzz",
        "LLM": "qwertyuiop",
    }
    found = secret_values(
        environment, used_names=["STAGING_TOKEN", "MY_API_KEY", "REGION"], certain_names=["LLM"]
    )
    assert found.values == ("0123456789", "abcdefghij", "qwertyuiop")
    assert found.warnings() == ()


def test_a_short_secret_is_warned_about_by_name() -> None:
    found = secret_values({"HELD_TOKEN": "days"}, used_names=["HELD_TOKEN", "OTHER_KEY"])
    assert found.values == ()
    (warning,) = found.warnings()
    assert '"HELD_TOKEN"' in warning
    assert "days" not in warning


@pytest.mark.parametrize(
    ("name", "value", "secrets"),
    [
        ("Authorization", "Bearer abc.def", ("abc.def",)),
        ("authorization", "abc.def", ("abc.def",)),
        ("Proxy-Authorization", "Basic  x=", ("x=",)),
        ("Cookie", "sid=aaaa; csrf=b=b ;c", ("aaaa", "b=b", "c")),
        ("cookie", 'sid="aaaa";', ("aaaa",)),
    ],
)
def test_the_secrets_of_a_header_are_what_proves_who_asks(
    name: str, value: str, secrets: tuple[str, ...]
) -> None:
    assert header_secrets(name, value) == secrets


def test_every_value_of_a_cookie_is_masked_wherever_it_comes_back() -> None:
    redactor = Redactor(header_secrets("Cookie", "sid=0123456789; csrf=abcdefghij"))
    assert redactor.text("csrf abcdefghij, sid 0123456789") == f"csrf {MASK}, sid {MASK}"


AWKWARD = "pa/ss+wo'rd&<é>=="


@pytest.mark.parametrize(
    "spelling",
    [
        quote(AWKWARD),
        json.dumps(AWKWARD)[1:-1]
        .replace("&", r"\u0026")
        .replace("<", r"\u003C")
        .replace("'", r"\u0027"),
        "".join(rf"\u{ord(c):04X}" if not c.isalnum() else c for c in AWKWARD),
        html.escape(AWKWARD).replace("&#x27;", "&#39;"),
        html.escape(AWKWARD).replace("&#x27;", "&apos;").replace("é", "&eacute;"),
        html.escape(AWKWARD).replace("&#x27;", "&#x0027;").replace("é", "&#233;"),
        AWKWARD.encode().hex(),
        AWKWARD.encode().hex().upper(),
        AWKWARD.replace("/", "%2F"),
    ],
)
def test_a_secret_is_masked_whichever_of_its_characters_are_escaped(spelling: str) -> None:
    assert Redactor([AWKWARD]).text(f"<{spelling}>") == f"<{MASK}>"


def test_base64_over_several_lines_is_masked() -> None:
    secret = "0123456789" * 12
    wrapped = base64.encodebytes(b"user: " + secret.encode()).decode()
    assert wrapped.count("\n") > 2
    for text in (wrapped, wrapped.replace("\n", "\r\n  "), json.dumps(wrapped)):
        shown = Redactor([secret]).text(text)
        assert MASK in shown
        assert len(shown.replace(MASK, "")) < 16


def test_credentials_in_a_url_are_secrets_each_and_together() -> None:
    redactor = Redactor(["postgres://deployer:s3cret%2Fpass@db.example/app"])
    basic = base64.b64encode(b"deployer:s3cret/pass").decode()
    for text in ("s3cret%2Fpass", "s3cret/pass", "deployer"):
        assert redactor.text(f"<{text}>") == f"<{MASK}>"
    assert len(redactor.text(basic).replace(MASK, "")) <= 3
    assert url_secrets("https://example.com/a@b") == ()


def test_basic_authentication_gives_away_neither_part() -> None:
    value = "Basic " + base64.b64encode(b"robot:correct-horse").decode()
    assert "correct-horse" in header_secrets("Authorization", value)


def test_a_secret_of_nothing_but_escapes_is_looked_for_in_linear_time() -> None:
    redactor = Redactor(["\\" * 60 + "x", "&" * 60 + "x"])
    text = "\\" * 20_000 + "&amp;" * 20_000
    started = time.process_time()
    assert redactor.text(text) == text
    assert time.process_time() - started < 20, "linear; exponential never ends"


def test_a_slow_pattern_is_not_waited_for_again_and_again() -> None:
    tried: list[int] = []

    def substitute(pattern: str, replacement: str, text: str) -> str:
        del pattern, replacement
        tried.append(len(text))
        if len(text) >= 100:
            raise TimeoutError
        return text

    redactor = Redactor([], ["slow"], substitute=substitute)
    assert [redactor.text("x" * 800) for _ in range(30)] == [WITHHELD] * 30
    assert redactor.text("short") == "short", "what is said of the run itself stays readable"
    assert tried == [800, 5]
    (warning,) = redactor.warnings
    assert "Item 1 of report.redact" in warning
