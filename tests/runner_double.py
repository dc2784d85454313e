"""A double of the GitHub runner: what it would obey in a step's log and files, and what it drops.

It reads lines as the runner does (LF, CRLF or a lone CR end one), obeys ``::name key=value::text``
after leading blanks and ``##[name key=value]text`` anywhere in a line, and reads the files that
steps use for outputs and the summary.
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

MOST_ANNOTATIONS = 10
LONGEST_MESSAGE = 4096
LARGEST_SUMMARY_BYTES = 1024 * 1024

_NAMES = frozenset(
    {
        *("add-mask", "add-matcher", "add-path", "debug", "echo", "endgroup", "error", "group"),
        *("notice", "remove-matcher", "save-state", "set-env", "set-output", "stop-commands"),
        "warning",
    }
)
_ANNOTATIONS = ("error", "warning", "notice")


@dataclass(frozen=True, slots=True, kw_only=True)
class ObeyedCommand:
    name: str
    message: str
    properties: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenLog:
    """What the runner makes of a log. ``shown`` are the lines that people see."""

    commands: tuple[ObeyedCommand, ...]
    shown: tuple[str, ...]
    stopped_at_end: bool

    @property
    def masks(self) -> tuple[str, ...]:
        return tuple(one.message for one in self.commands if one.name == "add-mask")

    def annotations(self, name: str) -> tuple[ObeyedCommand, ...]:
        """Give those that survive: the rest of a type is dropped, and so is what is too long."""
        found = [one for one in self.commands if one.name == name]
        return tuple(
            ObeyedCommand(
                name=one.name,
                message=one.message[:LONGEST_MESSAGE],
                properties=one.properties,
            )
            for one in found[:MOST_ANNOTATIONS]
        )

    def dropped(self) -> dict[str, int]:
        counts = Counter(one.name for one in self.commands if one.name in _ANNOTATIONS)
        return {name: n - MOST_ANNOTATIONS for name, n in counts.items() if n > MOST_ANNOTATIONS}


def read_log(text: str) -> SeenLog:
    """Obey a step's whole output, stdout and stderr together."""
    commands: list[ObeyedCommand] = []
    shown: list[str] = []
    stop_token: str | None = None
    for line in re.split(r"\r\n|\r|\n", text):
        command = _parse(line, _NAMES | ({stop_token} if stop_token else set()))
        if command is None or (stop_token and command.name != stop_token):
            shown.append(line)
        elif stop_token:
            stop_token = None
        elif command.name == "stop-commands":
            stop_token = command.message.lower()
        else:
            commands.append(command)
    return SeenLog(
        commands=tuple(commands), shown=tuple(shown), stopped_at_end=stop_token is not None
    )


def read_outputs(path: Path) -> dict[str, str]:
    """Read a file of outputs; what the runner would refuse is an AssertionError."""
    lines = path.read_text(encoding="utf-8").split("\n")
    found: dict[str, str] = {}
    while lines:
        line = lines.pop(0)
        if not line:
            continue
        equals, heredoc = line.find("="), line.find("<<")
        if equals >= 0 and (heredoc < 0 or equals < heredoc):
            found[line[:equals]] = line[equals + 1 :]
            continue
        assert heredoc > 0, f"invalid format: {line!r}"
        name, end = line[:heredoc], line[heredoc + 2 :]
        assert end in lines, f"no end for {name!r}"
        close = lines.index(end)
        found[name] = "\n".join(lines[:close])
        del lines[: close + 1]
    return found


def read_summary(path: Path) -> str:
    """Read a step's summary; a file over the limit is dropped as a whole."""
    content = path.read_bytes()
    return "" if len(content) > LARGEST_SUMMARY_BYTES else content.decode("utf-8")


class RunnerFiles:
    """The files and variables that the runner prepares for one step."""

    def __init__(self, folder: Path) -> None:
        self.workspace = folder / "workspace"
        self.output = folder / "output"
        self.summary = folder / "summary"
        self.event = folder / "event.json"
        self.workspace.mkdir(parents=True)
        for path in (self.output, self.summary):
            path.touch()
        self.event.write_text("{}", encoding="utf-8")

    def environment(self, **inputs: str) -> dict[str, str]:
        """Give the variables of a step; inputs are named as in action.yml with ``_`` for ``-``."""
        return {
            "CI": "true",
            "GITHUB_ACTIONS": "true",
            "GITHUB_EVENT_NAME": "push",
            "GITHUB_EVENT_PATH": str(self.event),
            "GITHUB_JOB": "judge",
            "GITHUB_OUTPUT": str(self.output),
            "GITHUB_REF_NAME": "main",
            "GITHUB_REPOSITORY": "octo-org/example",
            "GITHUB_RUN_ATTEMPT": "1",
            "GITHUB_RUN_ID": "4711",
            "GITHUB_SERVER_URL": "https://github.example",
            "GITHUB_SHA": "0" * 40,
            "GITHUB_STEP_SUMMARY": str(self.summary),
            "GITHUB_WORKFLOW": "CI",
            "GITHUB_WORKSPACE": str(self.workspace),
        } | {f"INPUT_{name.upper().replace('_', '-')}": text for name, text in inputs.items()}


def _parse(line: str, names: frozenset[str] | set[str]) -> ObeyedCommand | None:
    return _parse_colons(line.lstrip(), names) or _parse_brackets(line, names)


def _parse_colons(line: str, names: frozenset[str] | set[str]) -> ObeyedCommand | None:
    head, colons, message = line.removeprefix("::").partition("::")
    if not line.startswith("::") or not colons:
        return None
    name, _, properties = head.partition(" ")
    if name.lower() not in names:
        return None
    return ObeyedCommand(
        name=name.lower(), message=_unescape(message), properties=_properties(properties, ",")
    )


def _parse_brackets(line: str, names: frozenset[str] | set[str]) -> ObeyedCommand | None:
    found = re.search(r"##\[(.*?)\](.*)", line)
    if not found:
        return None
    name, _, properties = found[1].partition(" ")
    if name.lower() not in names:
        return None
    return ObeyedCommand(
        name=name.lower(), message=_unescape(found[2]), properties=_properties(properties, ";")
    )


def _properties(text: str, separator: str) -> dict[str, str]:
    pairs = (one.partition("=") for one in text.strip().split(separator) if "=" in one)
    return {
        key: _unescape(value.replace("%3A", ":").replace("%2C", ",")) for key, _, value in pairs
    }


def _unescape(text: str) -> str:
    return text.replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%")
