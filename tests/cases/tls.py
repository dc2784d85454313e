"""An endpoint behind a certificate that only the case's own authority vouches for."""

import json
import shutil
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

LONGEST_SECONDS = 60


def make_authority(folder: Path) -> None:
    """Let the case's script make ca.pem, server.pem and server.key in its folder."""
    if shutil.which("openssl") is None:
        pytest.skip("the case makes its certificates with openssl, which is not installed")
    done = subprocess.run(
        ["sh", "make_ca.sh"], cwd=folder, capture_output=True, timeout=LONGEST_SECONDS, check=False
    )
    assert done.returncode == 0, done.stderr.decode()


@contextmanager
def tls_endpoint(folder: Path, reply: str) -> Iterator[str]:
    """Serve one reply with server.pem, and give the address."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            body = json.dumps({"reply": reply}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "server.pem", folder / "server.key")
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"https://localhost:{server.server_port}"
    finally:
        server.shutdown()
        thread.join(timeout=10)
        server.server_close()
