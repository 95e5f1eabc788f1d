"""A cloud on loopback: HTTPS on a free port, answers by script, ends with the test.

HTTPS, since some SDKs send no credentials over anything less.
"""

from __future__ import annotations

import json
import ssl
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import IPv4Address
from typing import TYPE_CHECKING, Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    import pytest


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What one request gets; `is_hole` means nothing at all, until the stub stops."""

    body: bytes = b"{}"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    is_hole: bool = False


HOLE = Answer(is_hole=True)
TRUNCATED = Answer(body=b'{"value": [{"na')


def answer(document: Any, status: int = 200, **headers: str) -> Answer:
    return Answer(body=json.dumps(document).encode(), status=status, headers=headers)


class Stub:
    """Answers by what a request's line, headers or body hold; the last answer is repeated."""

    def __init__(self) -> None:
        self.url = ""
        self.asked: list[str] = []
        self._answers: dict[str, list[Answer]] = {}
        self._closing = threading.Event()

    def say(self, part: str, *answers: Answer) -> None:
        """Requests that hold `part` get these answers in turn; the last that is said goes first."""
        others = {name: said for name, said in self._answers.items() if name != part}
        self._answers = {part: list(answers), **others}

    def stop(self) -> None:
        self._closing.set()

    def next(self, request: str) -> Answer:
        self.asked.append(request)
        for part, answers in self._answers.items():
            if part in request:
                found = answers.pop(0) if len(answers) > 1 else answers[0]
                if found.is_hole:
                    self._closing.wait()
                return found
        return answer({"error": "no such page"}, 404)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that gave up is what some tests are about."""


@contextmanager
def stub_server(
    folder: Path, monkeypatch: pytest.MonkeyPatch, *, is_plain: bool = False
) -> Iterator[Stub]:
    """A running stub whose certificate the SDKs of this test trust; `is_plain` is without one."""
    stub = Stub()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            seen = "\n".join((f"{self.command} {self.path}", str(self.headers)))
            found = stub.next(seen + self.rfile.read(length).decode())
            if found.is_hole:
                return
            self.send_response(found.status)
            for name, value in {"Content-Type": "application/json", **found.headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(found.body)))
            self.end_headers()
            self.wfile.write(found.body)

        do_POST = do_GET  # noqa: N815 - http.server's own name

        def log_message(self, *args: Any) -> None:
            """A test's output is its own."""

    server = _Server(("127.0.0.1", 0), Handler)
    stub.url = f"http://127.0.0.1:{server.server_port}"
    if not is_plain:
        certificate = _certificate(folder)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        stub.url = stub.url.replace("http:", "https:")
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(certificate))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield stub
    finally:
        stub.stop()
        server.shutdown()
        thread.join()
        server.server_close()


def _certificate(folder: Path) -> Path:
    """A key and its own certificate for 127.0.0.1, one PEM file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    start = datetime(2020, 1, 1, tzinfo=UTC)
    built = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(start)
        .not_valid_after(start + timedelta(days=36_500))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(IPv4Address("127.0.0.1"))]), critical=False
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    file = folder / "stub.pem"
    file.write_bytes(pem + built.public_bytes(serialization.Encoding.PEM))
    return file
