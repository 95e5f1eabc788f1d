"""The stand-in over gRPC, spoken to as Terraform does."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

import grpc
import pytest

from multicloud.sandbox import schema, wire
from multicloud.sandbox.provider import Provider
from multicloud.sandbox.service import PROTOCOL, make_server
from multicloud.sandbox.store import CloudStore
from multicloud.sandbox.values import decode_row, encode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

SERVICE = f"/tfplugin{PROTOCOL}.Provider/"


@contextmanager
def served(folder: Path, on_shutdown: Callable[[], None] | None = None) -> Iterator[str]:
    provider = Provider("aws", CloudStore(folder / "cloud.sqlite"))
    server = make_server(provider, on_shutdown=on_shutdown)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        server.stop(0).wait()


def call(address: str, method: str, request: bytes = b"") -> bytes:
    with grpc.insecure_channel(address) as channel:
        answer: bytes = channel.unary_unary(method)(request, timeout=10)
        return answer


def test_the_schema_comes_over_the_wire(tmp_path: Path) -> None:
    with served(tmp_path) as address:
        message = wire.parse(call(address, SERVICE + "GetProviderSchema"))
        names = {wire.parse(entry).text(1) for entry in message.blobs[2]}
        assert names == set(schema.load("aws").resources)
        assert wire.parse(call(address, SERVICE + "GetMetadata")).blobs.keys() == {1, 3, 4}


def test_connections_keep_their_own_region(tmp_path: Path) -> None:
    request = wire.text(1, "aws_region") + wire.blob(2, encode({}))
    with served(tmp_path) as address:
        own = [("grpc.use_local_subchannel_pool", 1)]  # else channels share a connection
        channels = [grpc.insecure_channel(address, own) for _ in range(2)]
        regions = ("us-east-1", "eu-west-1")
        for channel, region in zip(channels, regions, strict=True):
            configure = wire.blob(2, encode({"region": region}))
            channel.unary_unary(SERVICE + "ConfigureProvider")(configure, timeout=10)
        answers = [
            channel.unary_unary(SERVICE + "ReadDataSource")(request, timeout=10)
            for channel in channels
        ]
        for channel in channels:
            channel.close()
    rows = [decode_row(wire.parse(answer).blob(1)) for answer in answers]
    assert [row["name"] for row in rows if row] == list(regions)


def test_a_fault_of_the_stand_in_is_told_and_traced(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    request = wire.text(1, "aws_unheard_of") + wire.blob(2, encode({}))
    with served(tmp_path) as address, pytest.raises(grpc.RpcError) as caught:
        call(address, SERVICE + "ValidateResourceConfig", request)
    assert caught.value.code() is grpc.StatusCode.INTERNAL
    assert "KeyError: 'aws_unheard_of'" in caught.value.details()
    assert "Traceback" in capfd.readouterr().err


def test_a_call_that_we_do_not_know_is_unimplemented(tmp_path: Path) -> None:
    with served(tmp_path) as address, pytest.raises(grpc.RpcError) as caught:
        call(address, SERVICE + "CallFunction")
    assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED


def test_shutdown_is_passed_on_and_no_output_is_streamed(tmp_path: Path) -> None:
    told = threading.Event()
    with served(tmp_path, told.set) as address:
        with grpc.insecure_channel(address) as channel:
            stream = channel.unary_stream("/plugin.GRPCStdio/StreamStdio")
            assert list(stream(b"", timeout=10)) == []
        call(address, "/plugin.GRPCController/Shutdown")
    assert told.is_set()
    with served(tmp_path) as address:
        assert call(address, "/plugin.GRPCController/Shutdown") == b""
