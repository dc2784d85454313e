"""A loopback server that answers at once: a chat endpoint and an OpenAI-shaped judge.

    python bench/server.py [--latency SECONDS]     prints its port, serves until stdin closes

GET /stats tells how many connections were opened and what was asked, and starts to count anew.
Plain asyncio, so that what is measured is the client.
"""

import argparse
import asyncio
import json
import sys
from collections import Counter

CHAT = {"reply": "You can send it back within 14 days and get the full price."}
VERDICT = {
    "model": "bench-judge",
    "choices": [
        {
            "finish_reason": "stop",
            "message": {"role": "assistant", "content": '{"pass": true, "reason": "says it"}'},
        }
    ],
    "usage": {"prompt_tokens": 300, "completion_tokens": 12},
}


def _response(value: object) -> bytes:
    body = json.dumps(value).encode()
    head = (
        f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


COUNTS: Counter[str] = Counter()
ANSWERS = {True: _response(VERDICT), False: _response(CHAT)}


async def _serve_one(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, latency: float
) -> None:
    try:
        COUNTS["connections"] += 1
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            if head.startswith(b"GET /stats"):
                writer.write(_response({**COUNTS, "connections": COUNTS["connections"] - 1}))
                COUNTS.clear()
                continue
            lowered = head.lower()
            mark = lowered.index(b"content-length:") + 15
            length = int(lowered[mark : lowered.index(b"\r\n", mark)])
            await reader.readexactly(length)
            if latency:
                await asyncio.sleep(latency)
            judging = b"/chat/completions" in head
            COUNTS["judge" if judging else "target"] += 1
            writer.write(ANSWERS[judging])
    except (asyncio.IncompleteReadError, ConnectionError, ValueError):
        writer.close()


async def _serve(latency: float) -> None:
    server = await asyncio.start_server(
        lambda reader, writer: _serve_one(reader, writer, latency), "127.0.0.1", 0
    )
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    server.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--latency", type=float, default=0.0)
    asyncio.run(_serve(parser.parse_args().latency))
