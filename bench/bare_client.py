"""The same requests through plain httpx clients, with nothing around them: the floor.

python bench/bare_client.py PORT REQUESTS IN_FLIGHT CLIENTS

Half of the requests go to the target, half to the judge; the connections are shared out to so many
clients. Prints one line of JSON: the CPU seconds of the requests alone, without imports.
"""

import asyncio
import json
import sys
import time
from collections.abc import Iterator

import httpx

BODY = {"message": "How do I get my money back?", "history": []}


def opened(clients: int, in_flight: int) -> list[httpx.AsyncClient]:
    size = -(-in_flight // clients)
    limits = httpx.Limits(max_connections=size, max_keepalive_connections=size)
    tls = httpx.create_ssl_context()
    return [
        httpx.AsyncClient(limits=limits, timeout=30, verify=tls, trust_env=False)
        for _ in range(clients)
    ]


async def work(client: httpx.AsyncClient, numbers: Iterator[int], port: int) -> None:
    for number in numbers:
        path = "chat" if number % 2 else "v1/chat/completions"
        reply = await client.post(f"http://127.0.0.1:{port}/{path}", json=BODY)
        reply.json()


async def main(port: int, requests: int, in_flight: int, clients: int) -> None:
    pool = opened(clients, in_flight)
    numbers = iter(range(requests))
    begun = time.process_time()
    workers = (work(pool[place % clients], numbers, port) for place in range(in_flight))
    await asyncio.gather(*workers)
    used = time.process_time() - begun
    for client in pool:
        await client.aclose()
    print(json.dumps({"cpu_seconds": round(used, 3)}))


if __name__ == "__main__":
    asyncio.run(main(*map(int, sys.argv[1:5])))
