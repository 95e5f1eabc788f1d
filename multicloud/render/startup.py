"""What a node runs when it boots, and, as it shuts down, its drain command."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from multicloud.models.pool import Pool

# systemd stops a service before the network goes, also when the cloud ends the machine; the
# service lives as long as the node and does its work in ExecStop.
_SCRIPT = """\
#!/bin/sh
set -eu
home=/var/lib/multicloud
mkdir -p "$home"
printf '%s' '{drain}' | base64 -d > "$home/drain"
cat > /etc/systemd/system/multicloud-drain.service <<'UNIT'
[Unit]
Description=Drain command of this node's pool
Wants=network-online.target
After=network-online.target

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/true
ExecStop=/bin/sh /var/lib/multicloud/drain
TimeoutStopSec={seconds}

[Install]
WantedBy=multi-user.target
UNIT
systemctl daemon-reload
systemctl enable --now multicloud-drain.service
{rest}"""
_THEN = """\
printf '%s' '{startup}' | base64 -d > "$home/startup"
chmod 700 "$home/startup"
exec "$home/startup"
"""


def boot_script(pool: Pool) -> str | None:
    """The script that a node of the pool boots with; None when there is nothing to do.

    Without a drain command it is the pool's own, byte for byte. With one, a service is set up
    first that runs it at shutdown, for `timeouts.drain` at most; how much of that a cloud grants
    before it cuts the power is the cloud's doing.
    """
    startup, drain = pool.node.startup or None, pool.node.drain_command
    if drain is None:
        return startup
    return _SCRIPT.format(
        drain=_base64(f"{drain}\n"),
        seconds=int(pool.timeouts.drain.total_seconds()),
        rest=_THEN.format(startup=_base64(startup)) if startup else "",
    )


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()
