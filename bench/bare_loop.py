"""The same requests through the same transport, with nothing around them: the floor.

python bench/bare_loop.py PORT REQUESTS IN_FLIGHT
"""

import asyncio
import json
import sys

from ci_judge.transport import HttpReply, HttpRequest, RetryPolicy, Transport


async def main(port: int, requests: int, in_flight: int) -> None:
    transport = Transport(connections=in_flight)
    numbers = iter(range(requests))
    body = json.dumps({"message": "How do I get my money back?", "history": []}).encode()

    async def work() -> None:
        for number in numbers:
            path = "chat" if number % 2 else "v1/chat/completions"
            reply = await transport.send(
                HttpRequest(
                    method="POST",
                    url=f"http://127.0.0.1:{port}/{path}",
                    headers={"content-type": "application/json"},
                    content=body,
                    timeout_seconds=30,
                ),
                retry=RetryPolicy(retries=0),
            )
            if not isinstance(reply, HttpReply):
                raise SystemExit(reply.message)

    await asyncio.gather(*(work() for _ in range(in_flight)))
    await transport.aclose()


if __name__ == "__main__":
    asyncio.run(main(*map(int, sys.argv[1:4])))
