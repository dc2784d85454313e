"""The pure parts of the transport: bodies, encodings, waits, proxies, places."""

import gzip
import json
import zlib
from email.utils import formatdate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ci_judge.transport import HttpReply, is_loopback, shown_url
from ci_judge.transport.decompression import BoundedBody
from ci_judge.transport.limits import TooLarge, Undecodable
from ci_judge.transport.places import place_of
from ci_judge.transport.proxies import proxy_for
from ci_judge.transport.waits import MAX_WAIT_SECONDS, Chance, asked_seconds, wait_seconds

TEXT = "Café: 14 days \u2013 naïve"
NOW = 1_700_000_000.0


def reply(body: bytes, content_type: str = "") -> HttpReply:
    headers = {"content-type": content_type} if content_type else {}
    return HttpReply(status=200, headers=headers, body=body, latency_seconds=0.1)


# --- bodies ---


@pytest.mark.parametrize(
    ("encoding", "content_type"),
    [
        ("utf-8", ""),
        ("utf-8-sig", "application/json"),
        ("utf-8", "application/json; charset=iso-8859-1"),
        ("utf-8", 'text/html; charset="no-such-thing"'),
        ("utf-8", "text/plain; charset=punycode"),
        ("utf-16", "application/json"),
        ("utf-16-le", "application/json; charset=utf-16le"),
        ("utf-32", ""),
        ("cp1252", "application/json; Charset=Windows-1252"),
    ],
)
def test_text_and_json_come_back_intact(encoding: str, content_type: str) -> None:
    assert reply(TEXT.encode(encoding), content_type).text() == TEXT
    body = json.dumps({"reply": TEXT}, ensure_ascii=False).encode(encoding)
    assert reply(body, content_type).json() == {"reply": TEXT}


def test_bytes_of_no_encoding_are_readable_text_and_no_json() -> None:
    broken = b'{"reply": "14 days \xff"}'
    assert reply(broken).text() == '{"reply": "14 days \ufffd"}'
    with pytest.raises(ValueError, match="no valid UTF-8"):
        reply(broken).json()


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"", "empty"),
        (b" \n", "empty"),
        (b"<html>login</html>", "line 1, column 1"),
        (b'{"a": 1} junk', "Extra data"),
        (b'{"a": NaN}', "NaN"),
        (b'{"a": -Infinity}', "Infinity"),
        (b'{"a": 1e999}', "too large"),
        (b"9" * 5000, "4300"),
        (b"[" * 100_000 + b"]" * 100_000, "nested"),
        (b"[" * 300 + b"]" * 300, "nested more than 200"),
        (gzip.compress(b"{}", mtime=0), "compressed"),
    ],
)
def test_what_is_no_strict_json_is_a_value_error_in_one_line(body: bytes, says: str) -> None:
    with pytest.raises(ValueError, match=says) as caught:
        reply(body).json()
    assert "\n" not in str(caught.value)


def test_the_last_of_duplicate_keys_wins_and_moderate_nesting_is_fine() -> None:
    assert reply(b'{"a": 1, "a": 2}').json() == {"a": 2}
    assert reply(b"[" * 150 + b"]" * 150).json()
    assert reply(b"[" + b"[]," * 5000 + b"{}]").json()


# --- encodings ---


def unpacked(raw: bytes, encoding: str, *, limit: int = 1000, step: int = 7) -> bytes:
    body = BoundedBody(encoding, limit=limit)
    for start in range(0, len(raw), step):
        body.feed(raw[start : start + step])
    return body.finish()


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


@given(st.binary(max_size=300), st.integers(1, 400))
def test_every_accepted_encoding_comes_back(data: bytes, step: int) -> None:
    packed = {
        "": data,
        "identity": data,
        "gzip": gzip.compress(data),
        "X-GZip": gzip.compress(data[:9]) + gzip.compress(data[9:]),
        "deflate": zlib.compress(data),
        " Deflate": raw_deflate(data),
    }
    for encoding, raw in packed.items():
        assert unpacked(raw, encoding, step=step) == data, encoding


def test_a_body_without_bytes_needs_no_decompression() -> None:
    assert BoundedBody("gzip", limit=10).finish() == b""


@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip, gzip"])
def test_an_encoding_that_nobody_asked_for_is_named(encoding: str) -> None:
    with pytest.raises(Undecodable, match=encoding):
        BoundedBody(encoding, limit=10)


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_damaged_and_cut_bodies_are_told(encoding: str) -> None:
    with pytest.raises(Undecodable, match="damaged"):
        unpacked(b"\xffthis is not compressed at all", encoding)
    whole = gzip.compress(b"x" * 90) if encoding == "gzip" else zlib.compress(b"x" * 90)
    with pytest.raises(Undecodable, match="breaks off"):
        unpacked(whole[:-2], encoding)


@pytest.mark.parametrize("members", [1, 300])
def test_a_bomb_stops_at_the_limit(members: int) -> None:
    bomb = gzip.compress(b"\0" * 10_000_000) if members == 1 else gzip.compress(b"ab") * members
    limit = 100_000 if members == 1 else 500
    with pytest.raises(TooLarge):
        unpacked(bomb, "gzip", limit=limit, step=len(bomb))


def test_bytes_that_decompress_to_nothing_count_too() -> None:
    with pytest.raises(TooLarge):
        unpacked(gzip.compress(b"") * 100, "gzip", limit=1000)


def test_the_limit_itself_is_allowed() -> None:
    assert len(unpacked(b"x" * 1000, "", limit=1000)) == 1000
    with pytest.raises(TooLarge):
        unpacked(b"x" * 1001, "", limit=1000)
    assert len(unpacked(gzip.compress(b"x" * 1000), "gzip", limit=1000)) == 1000
    with pytest.raises(TooLarge):
        unpacked(gzip.compress(b"x" * 1001), "gzip", limit=1000)


# --- waits ---


@pytest.mark.parametrize(
    ("headers", "asked"),
    [
        ({"retry-after": "1"}, 1),
        ({"retry-after": " 0.5 "}, 0.5),
        ({"retry-after": "0"}, 0),
        ({"retry-after": formatdate(NOW + 2, usegmt=True)}, 2),
        ({"retry-after": formatdate(NOW - 60, usegmt=True)}, 0),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "9"}, 9),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-5"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "1e3"}, None),
        ({"retry-after": "²"}, None),
        ({"retry-after": "Wed, 99 Foo 2026 99:99:99 GMT"}, None),
        ({}, None),
    ],
)
def test_every_form_of_retry_after_is_read(headers: dict[str, str], asked: float | None) -> None:
    assert asked_seconds(headers, now=NOW) == asked


def wait(headers: dict[str, str], attempt: int = 1, jitter: float = 0.0) -> float:
    return wait_seconds(headers, attempt=attempt, chance=Chance(now=NOW, jitter=jitter))


@pytest.mark.parametrize("value", ["9999999999", "9" * 400, "Fri, 31 Dec 9999 23:59:59 GMT"])
def test_a_wait_without_end_is_capped(value: str) -> None:
    assert wait({"retry-after": value}) == MAX_WAIT_SECONDS
    assert wait({"retry-after-ms": "9" * 400}) == MAX_WAIT_SECONDS


def test_without_a_wish_the_wait_doubles_within_the_cap() -> None:
    assert [wait({}, attempt) for attempt in range(1, 6)] == [0.25, 0.5, 1, 2, 4]
    assert wait({}, attempt=10_000) <= MAX_WAIT_SECONDS


@given(st.dictionaries(st.sampled_from(["retry-after", "retry-after-ms"]), st.text()))
def test_no_header_makes_a_wait_that_cannot_be_slept(headers: dict[str, str]) -> None:
    assert 0 <= wait(headers) <= MAX_WAIT_SECONDS


@given(st.floats(0, 20), st.floats(0, 1, exclude_max=True))
def test_jitter_never_undercuts_what_the_server_asks(asked: float, jitter: float) -> None:
    wanted = f"{asked:.3f}"
    assert wait({"retry-after": wanted}, jitter=jitter) >= float(wanted)


# --- proxies and places ---

PROXIES = {"HTTP_PROXY": "http://user:pw@proxy.example:3128", "https_proxy": "secure.example:8080"}


def chosen(url: str, **environment: str) -> str | None:
    choice = proxy_for(url, PROXIES | environment)
    return None if choice is None else choice.url


def test_the_scheme_decides_which_proxy() -> None:
    assert chosen("http://shop.example/") == PROXIES["HTTP_PROXY"]
    assert chosen("https://shop.example/") == "http://secure.example:8080"
    assert chosen("http://shop.example/", http_proxy="http://lower.example") == (
        "http://lower.example"
    )
    assert proxy_for("http://shop.example/", {"ALL_PROXY": "http://all.example"}) is not None
    assert proxy_for("http://shop.example/", {"HTTP_PROXY": " "}) is None


@pytest.mark.parametrize(
    "url",
    ["http://localhost:8000/", "http://127.0.0.1/", "http://[::1]:80/", "http://a.localhost/"],
)
def test_this_very_machine_is_reached_directly(url: str) -> None:
    assert chosen(url) is None


@pytest.mark.parametrize(
    ("rule", "url", "exempt"),
    [
        ("*", "http://shop.example/", True),
        ("shop.example", "http://shop.example/", True),
        ("shop.example", "http://api.SHOP.example./", True),
        (".shop.example", "http://shop.example/", True),
        ("shop.example", "http://workshop.example/", False),
        ("other, shop.example", "http://shop.example/", True),
        ("other shop.example", "http://shop.example/", True),
        ("shop.example:8080", "http://shop.example:8080/", True),
        ("shop.example:80", "http://shop.example/", True),
        ("shop.example:8080", "http://shop.example/", False),
        ("10.0.0.0/8", "http://10.2.3.4/", True),
        ("10.0.0.0/8", "http://11.2.3.4/", False),
        ("10.0.0.0/8", "http://shop.example/", False),
        ("nonsense/x", "http://shop.example/", False),
        ("2001:db8::1", "http://[2001:db8::1]/", True),
        ("[2001:db8::1]:80", "http://[2001:db8::1]/", True),
        (",", "http://shop.example/", False),
        (".", "http://shop.example/", False),
    ],
)
def test_no_proxy_is_read_as_curl_reads_it(rule: str, url: str, exempt: bool) -> None:  # noqa: FBT001 - a parameter
    assert (chosen(url, NO_PROXY=rule) is None) is exempt


def test_addresses_are_shown_without_their_secrets() -> None:
    secret = "https://user:pw@api.example:8443/v1/chat?key=hush"
    assert shown_url(secret) == "https://api.example:8443/v1/chat?…"
    assert place_of(secret) == "api.example:8443"
    assert place_of("http://[::1]/") == "[::1]:80"
    assert shown_url("http://[::1/") == "[::1"
    assert place_of("http://me:pw@[::1/?a@b") == "[::1"
    assert place_of("http://me:p/w@host:99999/") == ""
    assert place_of("http://host:99999/") == "host:99999"


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST.", "127.8.9.1", "::1", "[::1]"])
def test_loopback_hosts_are_known(host: str) -> None:
    assert is_loopback(host)
    assert not is_loopback(f"not-{host}")
