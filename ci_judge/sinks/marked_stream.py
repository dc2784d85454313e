"""What libraries print by themselves, led into the log as text by others."""

import io

from ci_judge.sinks.log import LogWriter


class MarkedStream(io.TextIOBase):
    """Stands in for stdout and stderr: the runner reads both, and obeys both."""

    def __init__(self, log: LogWriter) -> None:
        self._log = log
        self._begun = ""

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        """Pass on whole lines, and keep what is begun."""
        whole, end, self._begun = (self._begun + text).rpartition("\n")
        self._log.untrusted(whole + end)
        return len(text)

    def close(self) -> None:
        """Pass on what has no line end."""
        self._log.untrusted(self._begun)
        self._begun = ""
        super().close()
