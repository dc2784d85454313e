"""What the events of a stream tell: pieces of text, and what stands in the last that have it."""

from dataclasses import dataclass, field

from ci_judge.model.suite import JsonValue
from ci_judge.rules.json_paths import Found, look_up
from ci_judge.transport import LAST_WORD, EventReader, Sight, StreamEvent, parse_json

_EMPTY: tuple[JsonValue, ...] = (None, False, "", {}, [])
"""What stands under ``error`` where there is none."""


class StreamTrouble(Exception):
    """The stream is no answer: an event is an error, or cannot be read. The text says which."""

    def __init__(self, message: str, *, event: StreamEvent, said_by_target: bool = False) -> None:
        super().__init__(message)
        self.event = event
        self.said_by_target = said_by_target


@dataclass(slots=True, kw_only=True)
class StreamReading:
    """Takes events one by one and keeps what is asked for.

    ``piece_path`` is where a piece of text stands in each event; without it the data itself is
    one, unless ``json_needed``. ``paths`` are looked up in every event: the last one wins that has
    something other than null there. Raises StreamTrouble.
    """

    piece_path: str | None
    json_needed: bool
    paths: frozenset[str] = frozenset()
    events: int = 0
    pieces: list[str] = field(default_factory=list)
    last: dict[str, JsonValue] = field(default_factory=dict)

    def add(self, event: StreamEvent) -> None:
        blank = not event.data.strip() and self.json_needed
        if blank or event.data.strip() == LAST_WORD:
            return
        self.events += 1
        document = self._document(event)
        self._refuse_errors(event, document)
        for path in self.paths:
            found = look_up(document, path)
            if isinstance(found, Found) and found.value is not None:
                self.last[path] = found.value
        if self.piece_path is not None:
            self._add_piece(event, document, self.piece_path)
        elif not self.json_needed:
            self.pieces.append(event.data)

    def _document(self, event: StreamEvent) -> JsonValue:
        """Return the data as JSON; where it may be plain text and is, None."""
        try:
            return parse_json(event.data.encode("utf-8", "replace"), content_type="")
        except ValueError as error:
            if not self.json_needed:
                return None
            why = str(error).replace("the body", "its data", 1)
            message = f"event {self.events} of the stream cannot be read: {why}"
            raise StreamTrouble(message, event=event) from None

    def _refuse_errors(self, event: StreamEvent, document: JsonValue) -> None:
        told = document.get("error") if isinstance(document, dict) else None
        if event.type == "error" or told not in _EMPTY:
            message = f"event {self.events} of the stream is an error"
            raise StreamTrouble(message, event=event, said_by_target=True)

    def _add_piece(self, event: StreamEvent, document: JsonValue, path: str) -> None:
        found = look_up(document, path)
        if not isinstance(found, Found) or found.value is None:
            return
        if not isinstance(found.value, str):
            message = f'stream_path "{path}" holds no text in event {self.events} of the stream'
            raise StreamTrouble(message, event=event)
        self.pieces.append(found.value)


def first_text_sight(reader: EventReader, reading: StreamReading) -> Sight:
    """Return what tells when the first piece of text is there; a stream in trouble has none."""
    troubled = False
    looked_at = 0

    def sight(piece: bytes) -> bool:
        nonlocal troubled, looked_at
        if troubled:
            return False
        try:
            for event in reader.feed(piece):
                reading.add(event)
        except StreamTrouble:
            troubled = True
            return False
        new = reading.pieces[looked_at:]  # all over again would take the square of their number
        looked_at += len(new)
        return any(new)

    return sight
