"""The stand-in as a plug-in that Terraform starts itself: `python -m ...plugin NAME --store FILE`.

Terraform reads one line, the handshake, then speaks gRPC over a Unix socket. It sends a client
certificate in the environment and wants a server certificate back; both are made for one run.
"""

from __future__ import annotations

import argparse
import base64
import os
import signal
import sys
import tempfile
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from multicloud.sandbox.provider import Provider
from multicloud.sandbox.schema import provider_names
from multicloud.sandbox.store import CloudStore

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_COOKIE = "TF_PLUGIN_MAGIC_COOKIE"
_CLIENT_CERTIFICATE = "PLUGIN_CLIENT_CERT"
_CORE_PROTOCOL = 1
_PARENT_CHECK_S = 1.0
_GRACE_S = 0.2


class Identity(NamedTuple):
    """A private key and its self-signed certificate, as PEM, and the certificate as DER."""

    key: bytes
    certificate: bytes
    der: bytes


def make_identity() -> Identity:
    """A new P-256 identity for `localhost`, valid for a day."""
    from datetime import timedelta

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    from multicloud import clock

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = clock.utcnow()
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    return Identity(
        key=key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        ),
        certificate=certificate.public_bytes(serialization.Encoding.PEM),
        der=certificate.public_bytes(serialization.Encoding.DER),
    )


@contextmanager
def _socket() -> Iterator[Path]:
    """A socket's path that is short enough for the system; its folder is removed at the end."""
    short = "/tmp" if Path("/tmp").is_dir() else None  # noqa: S108 - the folder below is private
    with tempfile.TemporaryDirectory(prefix="mc-", dir=short) as folder:
        yield Path(folder, "plugin")


def serve(provider: Provider, *, with_tls: bool) -> None:
    """Serve one provider until Terraform says that it is done, or is gone."""
    import grpc

    from multicloud.sandbox.service import PROTOCOL, make_server

    done = threading.Event()
    parent = os.getppid()
    server = make_server(provider, on_shutdown=done.set)
    with _socket() as path:
        handshake = f"{_CORE_PROTOCOL}|{PROTOCOL}|unix|{path}|grpc"
        if with_tls:
            identity = make_identity()
            credentials = grpc.ssl_server_credentials([(identity.key, identity.certificate)])
            server.add_secure_port(f"unix:{path}", credentials)
            handshake += "|" + base64.b64encode(identity.der).decode().rstrip("=")
        else:
            server.add_insecure_port(f"unix:{path}")
        server.start()
        sys.stdout.write(handshake + "\n")
        sys.stdout.flush()
        while not done.wait(_PARENT_CHECK_S) and os.getppid() == parent:
            pass
        server.stop(_GRACE_S).wait()


def main(arguments: Sequence[str] | None = None) -> None:
    """Entry point of the plug-in files that `multicloud.sandbox.mirror` writes."""
    parser = argparse.ArgumentParser(prog="multicloud.sandbox.plugin", description=__doc__)
    parser.add_argument("name", choices=provider_names())
    parser.add_argument("--store", type=Path, required=True, help="the simulated cloud")
    options = parser.parse_args(arguments)
    if _COOKIE not in os.environ:
        parser.error("this is a Terraform plug-in; Terraform starts it")
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Terraform decides when a plug-in ends
    provider = Provider(options.name, CloudStore(options.store))
    serve(provider, with_tls=bool(os.environ.get(_CLIENT_CERTIFICATE)))


if __name__ == "__main__":
    main()
