"""The plug-in's start, handshake and end, without Terraform."""

from __future__ import annotations

import base64
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import grpc
import pytest

from multicloud.sandbox import plugin, wire

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]


@pytest.fixture
def started(
    tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[tuple[subprocess.Popen[str], list[str]]]:
    """A plug-in that was started as Terraform does, and the parts of its handshake."""
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "TF_PLUGIN_MAGIC_COOKIE": "x"}
    env |= getattr(request, "param", {})
    argv = [sys.executable, "-P", "-m", "multicloud.sandbox.plugin", "aws"]
    with subprocess.Popen(
        [*argv, "--store", str(tmp_path / "cloud.sqlite")],
        env=env,
        stdout=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        try:
            yield process, process.stdout.readline().strip().split("|")
        finally:
            process.kill()


def test_it_serves_without_tls_where_none_is_asked_and_ends_when_told(
    started: tuple[subprocess.Popen[str], list[str]],
) -> None:
    process, handshake = started
    assert handshake[:3] == ["1", "6", "unix"]
    assert handshake[4:] == ["grpc"]
    path = Path(handshake[3])
    with grpc.insecure_channel(f"unix:{path}") as channel:
        answer = channel.unary_unary("/tfplugin6.Provider/GetMetadata")(b"", timeout=10)
        assert 4 in wire.parse(answer).blobs
        channel.unary_unary("/plugin.GRPCController/Shutdown")(b"", timeout=10)
    assert process.wait(10) == 0
    assert not path.parent.exists()


@pytest.mark.parametrize("started", [{"PLUGIN_CLIENT_CERT": "x"}], indirect=True)
def test_it_shows_the_certificate_that_it_serves_with(
    started: tuple[subprocess.Popen[str], list[str]],
) -> None:
    _, handshake = started
    padded = handshake[5] + "=" * (-len(handshake[5]) % 4)
    body = base64.encodebytes(base64.b64decode(padded)).decode()
    pem = f"-----BEGIN CERTIFICATE-----\n{body}-----END CERTIFICATE-----\n".encode()
    credentials = grpc.ssl_channel_credentials(root_certificates=pem)
    options = [("grpc.ssl_target_name_override", "localhost")]
    with grpc.secure_channel(f"unix:{handshake[3]}", credentials, options) as channel:
        answer = channel.unary_unary("/tfplugin6.Provider/GetMetadata")(b"", timeout=10)
    assert 4 in wire.parse(answer).blobs


def test_every_identity_is_new() -> None:
    one, two = plugin.make_identity(), plugin.make_identity()
    assert one.key != two.key
    assert one.certificate.startswith(b"-----BEGIN CERTIFICATE-----")
    assert base64.b64encode(one.der)[:40] in one.certificate


def test_a_person_who_starts_it_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        plugin.main(["aws", "--store", str(tmp_path / "c")])
    assert "Terraform starts it" in capsys.readouterr().err
