"""Turns at installing providers."""

from __future__ import annotations

import fcntl
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from multicloud.engine.turn import any_time, one_at_a_time
from multicloud.errors import EngineError

if TYPE_CHECKING:
    from pathlib import Path


def test_one_at_a_time(tmp_path: Path) -> None:
    turn = one_at_a_time(tmp_path)
    inside = threading.Semaphore(1)

    def work(_number: int) -> bool:
        with turn():
            alone = inside.acquire(blocking=False)
            threading.Event().wait(0.005)
            inside.release()
            return alone

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(12)))


def test_another_process_is_waited_for(tmp_path: Path) -> None:
    turn = one_at_a_time(tmp_path, patience_s=0.3)
    with (tmp_path / ".lock").open("w") as held:
        fcntl.flock(held.fileno(), fcntl.LOCK_EX)
        with pytest.raises(EngineError, match="for too long"), turn():
            pytest.fail("the turn was taken")
        threading.Timer(0.1, fcntl.flock, (held.fileno(), fcntl.LOCK_UN)).start()
        with turn():
            threading.Event().wait(0.05)


def test_any_time_takes_no_turns(tmp_path: Path) -> None:
    turn = any_time()
    with turn(), turn():
        assert list(tmp_path.iterdir()) == []
