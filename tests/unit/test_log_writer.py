import re
import sys

from hypothesis import given
from hypothesis import strategies as st

from ci_judge.redaction import Redactor
from ci_judge.sinks.log import LogWriter
from ci_judge.sinks.marked_stream import MarkedStream
from tests.runner_double import read_log

HOSTILE_PIECES = st.sampled_from(
    [
        *("::", "##[", "]", "\r", "\n", "\r\n", " ", "\t", "\u00a0", "\u2028", "\x85", "\x0b"),
        *(
            "error",
            "set-output name=a",
            "add-mask",
            "stop-commands",
            "TOKEN1",
            "TOKEN2",
            "endgroup",
        ),
        *("::error::pwned", "##[error]pwned", "::TOKEN1::", "%0A::error::x", "\x1b[31m", "\u202e"),
        *("\ud800", "\ufeff", "\x00", "é漢😀"),
    ]
)
HOSTILE = st.lists(HOSTILE_PIECES, max_size=12).map("".join) | st.text(max_size=30)


class Pad:
    """Keeps what is written, and deals out known tokens."""

    def __init__(self, *, commands: bool = True) -> None:
        self.pieces: list[str] = []
        self._count = 0
        self.log = LogWriter(self.pieces.append, commands=commands, new_token=self._token)

    def _token(self) -> str:
        self._count += 1
        return f"token-{self._count}-unguessable"

    @property
    def text(self) -> str:
        return "".join(self.pieces)

    def obeyed(self) -> list[tuple[str, str]]:
        return [(one.name, one.message) for one in read_log(self.text).commands]


@given(texts=st.lists(HOSTILE, min_size=1, max_size=4))
def test_the_runner_obeys_our_commands_alone(texts: list[str]) -> None:
    pad = Pad()
    for text in texts:
        pad.log.untrusted(text)
        pad.log.line(text)
        with pad.log.group("ours"):
            pad.log.untrusted(text + "\n")
        pad.log.command("notice", f"ours {text}", title=text, file=None)
    seen = read_log(pad.text)
    assert [one.name for one in seen.commands] == ["group", "endgroup", "notice"] * len(texts)
    assert not seen.stopped_at_end
    assert all(one.message.startswith("ours") for one in seen.commands if one.message)


@given(text=HOSTILE)
def test_a_log_without_commands_holds_none(text: str) -> None:
    pad = Pad(commands=False)
    pad.log.untrusted(text)
    pad.log.line(text)
    pad.log.command("error", text, title=text)
    with pad.log.group(text):
        pass
    assert read_log(pad.text).commands == ()


@given(text=HOSTILE)
def test_hostile_text_is_still_harmless_where_the_fence_fails(text: str) -> None:
    """Take the fence away: marks and broken brackets alone must hold as well."""
    pad = Pad()
    pad.log.untrusted(text)
    inside = pad.pieces[0].split("\n")[1:-2] if pad.pieces else []
    assert read_log("\n".join(inside)).commands == ()


def test_each_line_of_strangers_is_marked_and_fenced() -> None:
    pad = Pad()
    pad.log.untrusted("one\r\ntwo\rthree\n")
    assert pad.text == (
        "::stop-commands::token-1-unguessable\n| one\n| two\n| three\n::token-1-unguessable::\n"
    )


def test_nothing_is_written_for_no_text() -> None:
    pad = Pad()
    pad.log.untrusted("")
    assert pad.text == ""


def test_what_cannot_be_seen_is_shown() -> None:
    pad = Pad(commands=False)
    pad.log.untrusted("a\x1b[31mb\u202ec\td")
    assert pad.text == "| a\\x1b[31mb\\u202ec\td\n"


def test_a_line_stays_a_line() -> None:
    pad = Pad()
    pad.log.line("name\n::error::x")
    assert pad.text == "name\\n::error::x\n"


def test_messages_and_properties_come_through_as_they_were() -> None:
    pad = Pad()
    pad.log.command("error", "50 % of\na::b, c", title="x:y,z % w", file="a,b:c.md", line=3)
    (command,) = read_log(pad.text).commands
    assert command.message == "50 % of\na::b, c"
    assert command.properties == {"title": "x:y,z % w", "file": "a,b:c.md", "line": "3"}
    assert pad.text.count("\n") == 1


def test_long_messages_are_cut_and_say_so() -> None:
    pad = Pad()
    pad.log.command("error", "x" * 10_000)
    ((_, message),) = pad.obeyed()
    assert len(message) == 4096
    assert message.endswith("(cut)")


def test_secrets_are_masked_first_and_never_written_again() -> None:
    pad = Pad()
    pad.log.protect(Redactor(["hunter2%hunter2"]))
    pad.log.untrusted("it is hunter2%hunter2")
    pad.log.line("it is hunter2%hunter2")
    pad.log.command("error", "it is hunter2%hunter2", title="hunter2%hunter2")
    assert pad.pieces[0] == "::add-mask::hunter2%25hunter2\n"
    assert read_log(pad.text).masks == ("hunter2%hunter2",)
    assert "hunter2" not in "".join(pad.pieces[1:])


def test_a_second_redactor_does_not_forget_the_first() -> None:
    pad = Pad(commands=False)
    pad.log.protect(Redactor(["first-secret"]))
    pad.log.protect(Redactor(["second-secret"]))
    pad.log.line("first-secret second-secret")
    assert pad.text == "*** ***\n"


def test_a_mask_is_given_to_the_runner_once() -> None:
    pad = Pad()
    pad.log.protect(Redactor(["first-secret"]))
    pad.log.protect(Redactor(["first-secret", "second-secret"]))
    assert read_log(pad.text).masks == ("first-secret", "second-secret")


def test_plain_logs_say_what_annotations_say() -> None:
    pad = Pad(commands=False)
    pad.log.command("warning", "mind the gap", title="T")
    with pad.log.group("Inside"):
        pad.log.line("x")
    assert pad.text == "warning: mind the gap\nInside\nx\n"


def test_tokens_are_random_by_default() -> None:
    pieces: list[str] = []
    log = LogWriter(pieces.append, commands=True)
    log.untrusted("a")
    log.untrusted("a")
    tokens = re.findall(r"::stop-commands::([0-9a-f]{32})", "".join(pieces))
    assert len(set(tokens)) == 2


def test_what_libraries_print_is_marked_line_by_line() -> None:
    pad = Pad()
    with MarkedStream(pad.log) as stream:
        print("::error::one", file=stream)
        print("##[error]two", end="", file=stream)
    assert read_log(pad.text).commands == ()
    shown = [line for line in pad.text.splitlines() if line.startswith("| ")]
    assert shown == ["| ::error::one", "| ## [error]two"]
    assert sys.stdout is not stream
