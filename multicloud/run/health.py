"""`/healthz` and Prometheus `/metrics` of a watch, on an address of the user's choice."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

from multicloud.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from multicloud.run.watch import Watch


@contextmanager
def serve(watch: Watch, address: str) -> Iterator[str]:
    """Answer on `HOST:PORT` while the block runs; yields the address with its port.

    Raises: InvalidInputError when it cannot be listened on.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path == "/healthz":
                good = watch.told.is_healthy(watch.now(), watch.interval)
                self._answer(200 if good else 503, "ok\n" if good else "not healthy\n")
            elif self.path == "/metrics":
                self._answer(200, metrics(watch))
            else:
                self._answer(404, "there are /healthz and /metrics\n")

        def _answer(self, status: int, text: str) -> None:
            body = text.encode()
            self.send_response(status)
            self.send_header("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - http.server's name
            """Scrapes are no news."""

    host, _, port = address.rpartition(":")
    try:
        server = ThreadingHTTPServer((host or "127.0.0.1", int(port)), Handler)
    except (OSError, ValueError, OverflowError) as error:
        raise InvalidInputError(
            f'--listen "{address}" cannot be listened on ({error}).',
            detail="Expected HOST:PORT, such as 127.0.0.1:9090.",
        ) from None
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"{server.server_address[0]!s}:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def metrics(watch: Watch) -> str:
    """The text format of prometheus.io/docs/instrumenting/exposition_formats."""
    told = watch.told
    lines = ["# TYPE multicloud_rounds_total counter"]
    lines += [
        f'multicloud_rounds_total{{exit_code="{int(code)}"}} {count}'
        for code, count in sorted(told.rounds.items())
    ]
    last = told.last
    gauges = {
        "multicloud_last_round_timestamp_seconds": _stamp(last.ended_at if last else None),
        "multicloud_last_round_duration_seconds": (
            f"{(last.ended_at - last.began_at).total_seconds():.3f}" if last else None
        ),
        "multicloud_next_round_timestamp_seconds": _stamp(told.wakes_at),
        "multicloud_nodes_alive": str(told.alive),
        "multicloud_last_recovery_seconds": (
            None if told.recovery_s is None else f"{told.recovery_s:.3f}"
        ),
    }
    for name, value in gauges.items():
        if value is not None:
            lines += [f"# TYPE {name} gauge", f"{name} {value}"]
    lines += ["# TYPE multicloud_losses_total counter", f"multicloud_losses_total {told.losses}"]
    return "\n".join(lines) + "\n"


def _stamp(at: datetime | None) -> str | None:
    return None if at is None else f"{at.timestamp():.3f}"
