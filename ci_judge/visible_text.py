r"""Text of strangers made safe to look at: what cannot be seen is shown as an escape.

Shown as ``\x1b``, ``\u202e``, ``\U000e0041`` (a lone carriage return as ``\r``): control
characters, bidirectional marks, overrides and isolates, zero-width and other invisible
characters, fillers, line and paragraph separators, the tags block (so the flags of England,
Scotland and Wales show theirs), non-characters, empty planes and lone surrogates.

Left alone, because real text needs them: a zero-width joiner or non-joiner between two visible
characters beyond the Latin blocks (emoji sequences, Persian, Indic scripts), and one variation
selector behind a visible character; a second in a row can only hide something.
Escaping is for the eye: it is not reversible.
"""

import re
from functools import lru_cache

_HIDDEN = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e"  # soft hyphen, joiners, fillers
    "\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"  # spaces, marks, separators, overrides, isolates
    "\u3164\ufdd0-\ufdef\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\ud800-\udfff"
    # the last two of each plane; planes 4 to 13 have no characters yet, plane 14 has the tags
    "\U0001fffe\U0001ffff\U0002fffe\U0002ffff\U0003fffe-\U000effff"
    "\U000ffffe\U000fffff\U0010fffe\U0010ffff"
)
_JOINERS = frozenset("\u200c\u200d")
_SELECTORS = frozenset(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
_MAYBE_NEEDED = _JOINERS | _SELECTORS
_FIRST_JOINABLE = "\u0300"

_SURROGATE = re.compile("[\ud800-\udfff]")
_SURROGATE_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_CUT_ESCAPE = re.compile(r"\\(?:x[0-9a-f]?|u[0-9a-f]{0,3}|U[0-9a-f]{0,7})?\Z")
_SHORT_NAMES = {"\r": r"\r", "\n": r"\n", "\t": r"\t"}
_BYTE_LIMIT = 0x100
_BASIC_PLANE_LIMIT = 0x10000


def visible(text: str, *, keep: str = "\n\t") -> str:
    r"""Return the text with everything invisible shown as escapes; CRLF becomes LF.

    ``keep`` names the control characters to leave alone. Without ``\n`` in it the result is one
    line, however the text is split.
    """
    lines = _paired(text) if "\r" in keep else _paired(text).replace("\r\n", "\n")
    return _unsafe(keep).sub(_escaped, lines)


def no_lone_surrogates(text: str) -> str:
    r"""Return the text with lone surrogates shown as escapes (``\ud83d``), so that it encodes.

    Two halves that stand in order become the character they mean.
    """
    return text if text.isascii() else _SURROGATE.sub(_escaped, _paired(text))


def one_line(text: str, *, limit: int) -> str:
    """Return the text on one line, whitespace runs as one space, at most ``limit`` characters.

    What is cut is marked by an ellipsis, and no escape is cut in half.
    """
    # what is left out here could not be shown: two halves make one character at most
    line = visible(" ".join(text.split())[: 2 * limit + 2], keep="")
    if len(line) <= limit:
        return line
    return f"{_CUT_ESCAPE.sub('', line[: limit - 1])}…"


def _paired(text: str) -> str:
    return text if text.isascii() else _SURROGATE_PAIR.sub(_joined, text)


def _joined(match: re.Match[str]) -> str:
    return match[0].encode("utf-16", "surrogatepass").decode("utf-16")


@lru_cache(maxsize=16)
def _unsafe(keep: str) -> re.Pattern[str]:
    """Compile runs of unsafe characters; the engine skips fast to the class in front."""
    controls = (chr(code) for code in (*range(0x20), *range(0x7F, 0xA0)))
    unkept = re.escape("".join(control for control in controls if control not in keep))
    unsafe = f"[{unkept}{_HIDDEN}\u200c\u200d\ufe00-\ufe0f]"
    return re.compile(f"{unsafe}{unsafe}*")


def _escaped(match: re.Match[str]) -> str:
    text = match.string
    return "".join(
        character if character in _MAYBE_NEEDED and _is_needed(text, index) else _escape(character)
        for index, character in enumerate(match[0], start=match.start())
    )


def _is_needed(text: str, index: int) -> bool:
    """Tell whether what stands there is a joiner or selector that does what it is for."""
    if text[index] not in _MAYBE_NEEDED:
        return False
    before, after = text[index - 1 : index], text[index + 1 : index + 2]
    if text[index] in _SELECTORS:
        return _can_be_seen(before)
    joins = _can_be_seen(before) or (before in _SELECTORS and _is_needed(text, index - 1))
    return joins and before >= _FIRST_JOINABLE and after >= _FIRST_JOINABLE and _can_be_seen(after)


def _can_be_seen(character: str) -> bool:
    return bool(character.strip()) and _unsafe("").match(character) is None


@lru_cache(maxsize=4096)
def _escape(character: str) -> str:
    code = ord(character)
    if character in _SHORT_NAMES:
        return _SHORT_NAMES[character]
    if code < _BYTE_LIMIT:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < _BASIC_PLANE_LIMIT else f"\\U{code:08x}"
