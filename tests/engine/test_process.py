"""The real runner against small programs that misbehave as engines have."""

from __future__ import annotations

import os
import signal
import stat
import threading
import time
from typing import TYPE_CHECKING

import pytest

from multicloud.engine.process import Completed, SubprocessRunner
from multicloud.errors import EngineError, EngineFailedError, InterruptedRunError
from tests.fakes import write_program

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LISTENS = """
import signal, sys, time
got = []
signal.signal(signal.SIGINT, lambda *_: got.append(1))
print("ready", flush=True)
end = time.monotonic() + {seconds}
while time.monotonic() < end and not got:
    time.sleep(0.01)
time.sleep(0.3)  # a second signal would come now
print("signals", len(got), flush=True)
sys.exit(7)
"""
STUBBORN = """
import signal, time
signal.signal(signal.SIGINT, signal.SIG_IGN)
print("ready", flush=True)
time.sleep(60)
"""


def run(
    program: Path,
    *arguments: str,
    runner: SubprocessRunner | None = None,
    timeout_s: float = 20,
    on_line: Callable[[str], None] | None = None,
) -> Completed:
    return (runner or SubprocessRunner()).run(
        [str(program), *arguments],
        cwd=program.parent,
        env={"ONLY": "this"},
        timeout_s=timeout_s,
        on_line=on_line,
    )


def test_exit_code_outputs_environment_and_no_input(tmp_path: Path) -> None:
    program = write_program(
        tmp_path / "p",
        "import os, sys\n"
        "print(sorted(k for k in os.environ if not k.startswith('LC_')), sys.argv[1:])\n"
        "print('err', file=sys.stderr)\n"
        "print(repr(sys.stdin.read()))\n"
        "sys.exit(3)\n",
    )
    lines: list[str] = []
    done = run(program, "$(id)", "a; b", on_line=lines.append)
    assert lines == ["['ONLY'] ['$(id)', 'a; b']", "''"]
    assert done == Completed(exit_code=3, stdout_tail="\n".join(lines) + "\n", stderr_tail="err\n")


def test_b144_a_full_stderr_does_not_hang_the_reader_of_stdout(tmp_path: Path) -> None:
    program = write_program(
        tmp_path / "p",
        "import sys\n"
        "sys.stderr.buffer.write(b'\\xff\\xfe noise\\n' * (5 * 1024 * 1024 // 9))\n"
        "sys.stderr.buffer.write(b'the last line\\n')\n"
        "sys.stderr.flush()\n"
        "print('then stdout')\n"
        "sys.exit(1)\n",
    )
    begun = time.monotonic()
    done = run(program)
    assert time.monotonic() - begun < 10
    assert (done.exit_code, done.stdout_tail) == (1, "then stdout\n")
    assert done.stderr_tail.endswith("the last line\n")
    assert "\ufffd" in done.stderr_tail
    assert len(done.stderr_tail.encode("utf-8", "replace")) < 5 * 64 * 1024


def test_b173_no_shell_sees_an_argument(tmp_path: Path) -> None:
    program = write_program(tmp_path / "p", "import sys; print(sys.argv[1:])")
    hostile = (
        f"a; touch {tmp_path}/pwned",
        f"$(touch {tmp_path}/pwned)",
        f"`touch {tmp_path}/pwned`",
    )
    run(program, *hostile)
    assert not (tmp_path / "pwned").exists()


def test_what_a_child_writes_is_private(tmp_path: Path) -> None:
    run(write_program(tmp_path / "p", "open('made', 'w').close()"))
    assert stat.S_IMODE((tmp_path / "made").stat().st_mode) == 0o600


def test_a_late_child_gets_one_sigint_and_its_grace(tmp_path: Path) -> None:
    program = write_program(tmp_path / "p", LISTENS.format(seconds=30))
    lines: list[str] = []
    with pytest.raises(EngineFailedError, match=r"within 0\.5 s") as caught:
        run(program, timeout_s=0.5, on_line=lines.append)
    assert lines == ["ready", "signals 1"]
    assert caught.value.exit_code_of_engine == 7


def test_what_outlives_its_grace_is_killed_with_its_children(tmp_path: Path) -> None:
    program = write_program(
        tmp_path / "p",
        "import subprocess\nchild = subprocess.Popen(['sleep', '60'])\n"
        "print(child.pid, flush=True)\n" + STUBBORN,
    )
    lines: list[str] = []
    with pytest.raises(EngineFailedError) as caught:
        run(program, runner=SubprocessRunner(grace_s=0.3), timeout_s=0.5, on_line=lines.append)
    assert caught.value.exit_code_of_engine == -signal.SIGKILL
    assert _is_gone(int(lines[0]))


def _is_gone(pid: int) -> bool:
    """Whether a process has ended; a zombie, which nobody here can collect, has."""
    for _ in range(100):
        try:
            with open(f"/proc/{pid}/stat") as file:  # noqa: PTH123 - a file that may vanish
                if file.read().rsplit(")", 1)[1].split()[0] == "Z":
                    return True
        except (FileNotFoundError, ProcessLookupError):
            return True
        time.sleep(0.02)
    return False


def test_interrupt_passes_one_sigint_to_all_and_starts_no_more(tmp_path: Path) -> None:
    program = write_program(tmp_path / "p", LISTENS.format(seconds=30))
    runner = SubprocessRunner()
    lines: list[str] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            run(program, runner=runner, on_line=lines.append)
        except InterruptedRunError as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    while lines.count("ready") < 2:
        time.sleep(0.01)
    runner.interrupt()
    runner.interrupt()
    for thread in threads:
        thread.join(20)
    assert len(errors) == 2
    assert lines.count("signals 1") == 2
    with pytest.raises(InterruptedRunError, match="before the engine was started"):
        run(program, runner=runner)


def test_an_interrupted_child_that_does_not_end_is_killed_after_the_grace(tmp_path: Path) -> None:
    program = write_program(tmp_path / "p", STUBBORN)
    runner = SubprocessRunner(grace_s=0.3)
    begun = time.monotonic()

    def ready(_line: str) -> None:
        runner.interrupt()

    with pytest.raises(InterruptedRunError):
        run(program, runner=runner, on_line=ready)
    assert time.monotonic() - begun < 10


def test_b121_ctrl_c_reaches_the_child_once_and_is_raised_when_it_has_ended(tmp_path: Path) -> None:
    program = write_program(tmp_path / "p", LISTENS.format(seconds=30))
    lines: list[str] = []

    def press(line: str) -> None:
        lines.append(line)
        if line == "ready":
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.15)
            os.kill(os.getpid(), signal.SIGINT)  # an impatient user

    # A shell starts what it puts in the background with Ctrl-C ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            run(program, on_line=press)
    finally:
        signal.signal(signal.SIGINT, before)
    assert lines == ["ready", "signals 1"]


def test_a_fault_in_the_reader_of_lines_is_raised_after_the_childs_end(tmp_path: Path) -> None:
    program = write_program(tmp_path / "p", "for n in range(100000): print(n)\nopen('done', 'w')")
    seen: list[str] = []

    def fail(line: str) -> None:
        seen.append(line)
        raise ValueError(line)

    with pytest.raises(ValueError, match=r"^0$"):
        run(program, on_line=fail)
    assert seen == ["0"]
    assert (tmp_path / "done").exists()


def test_a_grandchild_that_keeps_the_pipes_does_not_keep_us(tmp_path: Path) -> None:
    program = write_program(
        tmp_path / "p", "import subprocess\nsubprocess.Popen(['sleep', '60'])\nprint('x')"
    )
    begun = time.monotonic()
    assert run(program).stdout_tail == "x\n"
    assert time.monotonic() - begun < 15


def test_what_cannot_be_started_is_one_error(tmp_path: Path) -> None:
    missing = tmp_path / "missing"
    with pytest.raises(EngineError, match=r"cannot start .*missing"):
        run(missing)
    plain = tmp_path / "plain"
    plain.write_text("no program", encoding="utf-8")
    with pytest.raises(EngineError, match=r"Permission denied"):
        run(plain)
