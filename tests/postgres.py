"""A PostgreSQL server of our own: the machine's binaries, a folder of ours, a free port.

Import `postgres` into a conftest; it is skipped, saying so, where there are no binaries.
"""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
import uuid
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

START_S = 30.0
_FOLDERS = (Path("/usr/lib/postgresql"), Path("/usr/pgsql"), Path("/opt/homebrew/opt"))


def binary(name: str) -> str | None:
    """A program of PostgreSQL, of the newest version that is installed."""
    found = sorted(path for root in _FOLDERS for path in root.glob(f"*/bin/{name}"))
    return str(found[-1]) if found else shutil.which(name)


class Server:
    """A running server; `url(name)` makes a database and says where it is."""

    def __init__(self, port: int, user: str) -> None:
        self.port = port
        self.user = user

    def url(self, name: str = "") -> str:
        """A new, empty database."""
        import psycopg

        name = name or f"t{uuid.uuid4().hex[:12]}"
        base = f"postgresql://{self.user}@127.0.0.1:{self.port}"
        with psycopg.connect(f"{base}/postgres", autocommit=True) as connection:
            connection.execute(f'create database "{name}"')
        return f"{base}/{name}"


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """The server of this test process; it ends with it."""
    pytest.importorskip("psycopg", reason="needs psycopg")
    if binary("initdb") is None or binary("postgres") is None:
        pytest.skip("needs PostgreSQL's server binaries (initdb, postgres)")
    with running() as server:
        yield server


@contextmanager
def running() -> Iterator[Server]:
    """A server that ends with the block; its binaries must be there."""
    initdb, server = binary("initdb"), binary("postgres")
    user = _user()
    folder = Path(tempfile.mkdtemp(prefix="mc-pg-", dir="/tmp"))
    data = folder / "data"
    data.mkdir(mode=0o700)
    identity: dict[str, object] = {}
    if user is not None:
        for path in (folder, data):
            os.chown(path, user.pw_uid, user.pw_gid)
        identity = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    environ = {"PATH": os.environ["PATH"], "LC_ALL": "C", "HOME": str(folder)}
    port = _free_port()
    subprocess.run(
        [str(initdb), "-D", data, "-U", "tests", "-A", "trust", "-E", "UTF8", "--no-sync"],
        check=True,
        capture_output=True,
        env=environ,
        cwd=folder,
        **identity,  # type: ignore[call-overload]
    )
    settings = {"fsync": "off", "listen_addresses": "127.0.0.1", "unix_socket_directories": ""}
    options = [item for key, value in settings.items() for item in ("-c", f"{key}={value}")]
    process = subprocess.Popen(
        [str(server), "-D", str(data), "-p", str(port), *options],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environ,
        cwd=folder,
        **identity,  # type: ignore[call-overload]
    )
    try:
        _wait(port, process)
        yield Server(port, "tests")
    finally:
        process.send_signal(3)  # SIGQUIT: at once; the data is thrown away
        process.wait(START_S)
        shutil.rmtree(folder, ignore_errors=True)


def _user() -> pwd.struct_passwd | None:
    """Whom the server runs as: it refuses to run as root."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    pytest.skip("PostgreSQL does not run as root, and there is no other user")


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        port: int = found.getsockname()[1]
        return port


def _wait(port: int, process: subprocess.Popen[bytes]) -> None:
    import psycopg

    end = time.monotonic() + START_S
    while True:
        assert process.poll() is None, "PostgreSQL did not start"
        try:
            psycopg.connect(f"postgresql://tests@127.0.0.1:{port}/postgres").close()
        except psycopg.OperationalError:
            assert time.monotonic() < end, "PostgreSQL did not answer"
            time.sleep(0.05)
        else:
            return
