"""A watch as a process: it heals a pool, answers, and stops when it is told."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from typing import TYPE_CHECKING

import pytest

from tests.cli.conftest import write_policy
from tests.cli.test_apply import nodes
from tests.clouds.stub import answer, stub_server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.cli.conftest import Multicloud

POOL = "  a: {need: 2 x T4:1, place: {in: aws/us-east-1, capacity: spot}}\n"
needs_engine = pytest.mark.skipif(not shutil.which("terraform"), reason="no terraform on PATH")


def within(seconds: float, done: Callable[[], bool]) -> bool:
    """Whether it is done in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if done():
            return True
        time.sleep(0.1)
    return False


@pytest.fixture
def watching(multicloud: Multicloud, folder: Path) -> Iterator[subprocess.Popen[str]]:
    """A watch over one pool in the sandbox, looking every second."""
    policy = write_policy(folder, POOL)
    assert multicloud("sandbox", "boot", "0").code == 0
    command = [sys.executable, "-m", "multicloud", "watch", "-p", str(policy)]
    options = ["--look-every", "1s", "--interval", "10m", "--listen", "127.0.0.1:0"]
    with subprocess.Popen(
        [*command, *options],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def fetched(url: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(url, timeout=5) as found:  # noqa: S310 - loopback
            return found.status, found.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


@pytest.mark.engine
@needs_engine
def test_a_watch_heals_a_pool_and_stops_when_it_is_told(
    multicloud: Multicloud, folder: Path, watching: subprocess.Popen[str]
) -> None:
    assert watching.stderr is not None
    url = watching.stderr.readline().split()[-1]
    assert within(60, lambda: fetched(f"{url}/healthz")[0] == 200)
    assert len(nodes(folder)) == 2
    gone = multicloud("sandbox", "evict", "a", "--count", "1", "--no-refill")
    assert gone.code == 0, gone.err
    assert within(60, lambda: "multicloud_losses_total 1" in fetched(f"{url}/metrics")[1])
    assert within(60, lambda: len(nodes(folder)) == 2)
    assert fetched(f"{url}/nothing")[0] == 404
    watching.send_signal(signal.SIGTERM)
    out, err = watching.communicate(timeout=30)
    assert watching.returncode == 0, err
    assert "create done" in out
    assert "stopped; nothing is left half-done" in err


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (("--interval", "5"), "--interval"),
        (("--look-every", "0s"), "longer than nothing"),
        (("--listen", "nowhere"), "cannot be listened on"),
    ],
)
def test_bad_options(
    multicloud: Multicloud, folder: Path, more: tuple[str, ...], told: str
) -> None:
    policy = write_policy(folder, POOL)
    said = multicloud("watch", "-p", str(policy), *more)
    assert (said.code, told in said.err) == (3, True), said.err


def test_a_policy_that_is_wrong_is_told_at_once(multicloud: Multicloud, folder: Path) -> None:
    (folder / "p.yaml").write_text("version: 1\n")
    assert multicloud("watch", "-p", "p.yaml").code == 3


@pytest.mark.engine
@needs_engine
def test_each_rebalance_tells_its_monitor(
    multicloud: Multicloud, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = write_policy(folder, POOL)
    with stub_server(tmp_path, monkeypatch, is_plain=True) as monitor:
        monitor.say("/beat", answer({}))
        (folder / "multicloud.yaml").write_text(f"heartbeat: {monitor.url}/beat\n")
        assert multicloud("rebalance", "-p", str(policy)).code == 0
        fails = ("sandbox", "fail", "aws_autoscaling_group", "update", "--times", "9")
        assert multicloud(*fails).code == 0
        policy.write_text(policy.read_text().replace("2 x T4:1", "3 x T4:1"))
        assert multicloud("rebalance", "-p", str(policy)).code == 1
        assert multicloud("rebalance", "-p", "no-such.yaml").code == 3
        paths = [request.split()[1] for request in monitor.asked]
        assert paths == ["/beat", "/beat/fail", "/beat/fail"]
    said = multicloud("rebalance", "-p", str(policy), "--pool", "a")
    assert "note: the heartbeat could not be sent" in said.err
