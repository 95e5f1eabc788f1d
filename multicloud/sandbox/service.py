"""gRPC around a provider; the only module of the sandbox, with its users, that loads gRPC."""

from __future__ import annotations

import sys
import traceback
from concurrent import futures
from typing import TYPE_CHECKING, Any

import grpc

from multicloud.sandbox import wire

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from multicloud.sandbox.provider import Provider

PROTOCOL = 6
_WORKERS = 16  # Terraform walks ten nodes at a time; more than one run may be at it
_MESSAGE_LIMIT = 64 << 20  # bytes; gRPC's own limit is 4 MiB, schemas can be larger


def _handler(answer: Callable[[wire.Message, str], bytes]) -> grpc.RpcMethodHandler:
    def call(request: bytes, context: grpc.ServicerContext) -> bytes:
        try:
            return answer(wire.parse(request), context.peer())
        except Exception as error:
            traceback.print_exc(file=sys.stderr)
            context.abort(grpc.StatusCode.INTERNAL, f"{type(error).__name__}: {error}")
            raise

    return grpc.unary_unary_rpc_method_handler(call)


def make_server(
    provider: Provider, *, on_shutdown: Callable[[], None] | None = None
) -> grpc.Server:
    """A server for one provider, without address and not started.

    `on_shutdown` is called when Terraform says that it is done, as it does with plug-in files.
    """

    def shutdown(_request: bytes, _context: grpc.ServicerContext) -> bytes:
        if on_shutdown is not None:
            on_shutdown()
        return b""

    def no_output(_request: bytes, _context: grpc.ServicerContext) -> Iterator[bytes]:
        return iter(())

    options: list[tuple[str, Any]] = [
        ("grpc.max_receive_message_length", _MESSAGE_LIMIT),
        ("grpc.max_send_message_length", _MESSAGE_LIMIT),
        ("grpc.so_reuseport", 0),
    ]
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=_WORKERS), options=options)
    services: dict[str, dict[str, grpc.RpcMethodHandler]] = {
        f"tfplugin{PROTOCOL}.Provider": {n: _handler(a) for n, a in provider.calls.items()},
        "plugin.GRPCController": {"Shutdown": grpc.unary_unary_rpc_method_handler(shutdown)},
        "plugin.GRPCStdio": {"StreamStdio": grpc.unary_stream_rpc_method_handler(no_output)},
    }
    server.add_generic_rpc_handlers(
        tuple(grpc.method_handlers_generic_handler(n, calls) for n, calls in services.items())
    )
    return server
