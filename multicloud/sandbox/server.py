"""The sandbox of one run: every carried provider, served to Terraform from this process."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Self

from multicloud import clock
from multicloud.sandbox.provider import Provider
from multicloud.sandbox.schema import provider_names
from multicloud.sandbox.store import CloudStore

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from pathlib import Path
    from types import TracebackType

    import grpc

_GRACE_S = 0.5  # for calls under way when the run ends; Terraform has ended by then


class SandboxServer:
    """Serves the simulated cloud in `store` while the `with` block runs.

    Listens on loopback only, on ports that the system chooses, in threads of this process: it
    cannot outlive it. `reattach` is the value of `TF_REATTACH_PROVIDERS`; its keys name no host,
    so both Terraform and OpenTofu take them for their own registry's providers.
    """

    def __init__(self, store: Path, *, now: Callable[[], datetime] = clock.utcnow) -> None:
        self.store = CloudStore(store)
        self._now = now
        self._servers: list[grpc.Server] = []
        self._reattach: dict[str, object] = {}

    @property
    def reattach(self) -> str:
        """JSON for `TF_REATTACH_PROVIDERS`; `{}` outside of the `with` block."""
        return json.dumps(self._reattach, sort_keys=True)

    def __enter__(self) -> Self:
        """Start listening."""
        from multicloud.sandbox.service import PROTOCOL, make_server

        for name in provider_names():
            provider = Provider(name, self.store, now=self._now)
            server = make_server(provider)
            self._servers.append(server)
            port = server.add_insecure_port("127.0.0.1:0")
            server.start()
            self._reattach[provider.source] = {
                "Protocol": "grpc",
                "ProtocolVersion": PROTOCOL,
                "Pid": os.getpid(),
                "Test": True,  # Terraform must not stop this process when it is done
                "Addr": {"Network": "tcp", "String": f"127.0.0.1:{port}"},
            }
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop listening; the store stays."""
        self._reattach = {}
        for stopped in [server.stop(_GRACE_S) for server in self._servers]:
            stopped.wait()
        self._servers = []
