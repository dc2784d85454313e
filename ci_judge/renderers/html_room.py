"""How much of the HTML file the transcripts may take, shared out fairly."""


class Room:
    """So many bytes for so many tests: each may use an equal share of what is left.

    What one test does not use is left for those after it, so that early tests cannot crowd out
    late ones and a small report shows everything.
    """

    def __init__(self, *, total_bytes: int, tests: int) -> None:
        self._left = total_bytes
        self._tests = tests
        self._share = 0

    def next_test(self) -> None:
        self._share = self._left // max(1, self._tests)
        self._tests -= 1

    def take(self, size_bytes: int) -> bool:
        """Use room of the current test's share, or say that there is not enough."""
        if size_bytes > self._share:
            return False
        self._share -= size_bytes
        self._left -= size_bytes
        return True
