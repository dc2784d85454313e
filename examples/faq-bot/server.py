"""A small FAQ bot with a flaw: it forgets the deadline in every fourth answer to one wording.

POST /api/chat with {"message": text, "history": [...]} answers {"reply": text}. GET /health says
that it is up. Answers are counted per wording, so how many requests run at once never decides
which of them shows the flaw. Standard library only:

    python server.py            # port 8765
    python server.py --port 0   # any free port, printed
"""

import argparse
import json
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

REFUND = (
    "Of course! You can send it back within 14 days of delivery and we pay you the full price. "
    "Use the label that came with the parcel; sending it back is free."
)
REFUND_WITHOUT_DEADLINE = (
    "Of course! Just send it back and we pay you the full price. "
    "Use the label that came with the parcel; sending it back is free."
)
DELIVERY = (
    "Standard delivery takes 3 to 5 working days and costs 4.95 euros; "
    "from 50 euros it is free of charge. Express delivery arrives the next working day."
)
HOURS = "Our people answer the phone Monday to Friday, 9 to 17 o'clock, on 030 555 0100."
UNKNOWN = "I am sorry, I do not know that. Please ask our people on 030 555 0100."

TOPICS = (
    (("refund", "money back", "return", "send it back", "full price", "14 days"), REFUND),
    (("deliver", "ship", "parcel", "arrive", "working days", "free of charge"), DELIVERY),
    (("phone", "open", "hours", "call", "person", "human", "o'clock"), HOURS),
)
FLAWED_WORDING = "i want my money back on a jumper that does not fit."
EVERY = 4


class Bot:
    """Answers by keyword, and counts the answers to each wording."""

    def __init__(self) -> None:
        self._asked: Counter[str] = Counter()
        self._lock = threading.Lock()

    def answer(self, message: str) -> str:
        wording = " ".join(message.lower().split())
        with self._lock:
            self._asked[wording] += 1
            count = self._asked[wording]
        if wording == FLAWED_WORDING and count % EVERY == 0:
            return REFUND_WITHOUT_DEADLINE
        for words, answer in TOPICS:
            if any(word in wording for word in words):
                return answer
        return UNKNOWN


class Handler(BaseHTTPRequestHandler):
    """The HTTP side of the bot."""

    protocol_version = "HTTP/1.1"
    bot = Bot()

    def do_GET(self) -> None:
        self._send(200, {"status": "ok"})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        try:
            message = json.loads(body)["message"]
        except (ValueError, KeyError, TypeError):
            self._send(400, {"error": 'send JSON with a "message"'})
            return
        self._send(200, {"reply": self.bot.answer(str(message))})

    def _send(self, status: int, value: dict[str, str]) -> None:
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as inherited
        """Say nothing: a line a request would bury what matters."""


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(description="The FAQ bot of the CI Judge example.")
    parser.add_argument("--port", type=int, default=8765)
    server = ThreadingHTTPServer(("127.0.0.1", parser.parse_args().port), Handler)
    print(f"FAQ bot on http://127.0.0.1:{server.server_port}/api/chat", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        server.server_close()


if __name__ == "__main__":
    main()
