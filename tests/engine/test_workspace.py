"""Work folders: private, clean, and never leading out."""

from __future__ import annotations

import stat
from pathlib import Path, PurePosixPath

import pytest

from multicloud.engine.workspace import ERRORED_STATE, LOCK_FILE, Workspace, make_folder, write_file
from multicloud.errors import EngineError, GuardrailError
from tests.engine.stacks import a_key

MAIN = PurePosixPath("main.tf.json")
FILES = {MAIN: "{}\n", PurePosixPath("module/main.tf"): "# m\n"}


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "project" / ".multicloud", a_key())


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def names(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_paths_and_modes(workspace: Workspace) -> None:
    workspace.prepare(FILES)
    home = workspace.home
    assert workspace.folder == home / "work/sandbox/daynight/train/aws-us-east-1-0a1b2c3d"
    assert workspace.state == home / "state/sandbox/daynight/train/aws-us-east-1-0a1b2c3d.tfstate"
    assert names(workspace.folder) == {"main.tf.json", "module/main.tf"}
    assert workspace.state.parent.is_dir()
    assert not workspace.state.exists()
    folders = [home, *(p for p in home.rglob("*") if p.is_dir())]
    assert {mode(folder) for folder in folders} == {0o700}
    assert {mode(p) for p in home.rglob("*") if p.is_file()} == {0o600}


def test_b179_what_lies_there_is_removed_but_for_the_engines_own(workspace: Workspace) -> None:
    workspace.prepare({})
    kept = {".terraform/providers/x": "x", ".terraform.lock.hcl": "lock"}
    gone = {"evil.tf": "", "x.auto.tfvars": "", "override.tf": "", "sub/y.tf": "", "plan.bin": ""}
    for name, text in {**kept, **gone}.items():
        path = workspace.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    workspace.prepare(FILES)
    assert names(workspace.folder) == {*kept, "main.tf.json", "module/main.tf"}


def test_a_committed_lock_replaces_the_last_one(workspace: Workspace) -> None:
    assert workspace.lock_text() is None
    workspace.prepare({}, lock_text="one")
    workspace.prepare({})
    assert workspace.lock_text() == "one"
    workspace.prepare({}, lock_text="two")
    assert (workspace.folder / LOCK_FILE).read_text(encoding="utf-8") == "two"


def test_b117_an_errored_state_blocks_with_the_recovery_command(workspace: Workspace) -> None:
    workspace.prepare(FILES)
    errored = workspace.folder / ERRORED_STATE
    errored.write_text("{}", encoding="utf-8")
    with pytest.raises(GuardrailError) as caught:
        workspace.prepare({MAIN: "new"})
    assert f"cd {workspace.folder}" in caught.value.hint
    assert "terraform state push errored.tfstate" in caught.value.hint
    assert errored.exists()
    assert (workspace.folder / MAIN).read_text(encoding="utf-8") == "{}\n"


@pytest.mark.parametrize("link", ["main.tf.json", "module", ".terraform", LOCK_FILE, "other"])
def test_b183_a_planted_link_is_not_followed(
    workspace: Workspace, tmp_path: Path, link: str
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "main.tf").write_text("mine", encoding="utf-8")
    workspace.prepare({})
    target = outside if link in ("module", ".terraform") else outside / "main.tf"
    (workspace.folder / link).symlink_to(target)
    workspace.prepare(FILES, lock_text="lock")
    assert names(outside) == {"main.tf"}
    assert (outside / "main.tf").read_text(encoding="utf-8") == "mine"
    assert not (workspace.folder / link).is_symlink()


@pytest.mark.parametrize("depth", range(6))
def test_b183_a_link_on_the_way_is_refused(
    workspace: Workspace, tmp_path: Path, depth: int
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    steps = [workspace.home]
    for part in workspace.folder.relative_to(workspace.home).parts:
        steps.append(steps[-1] / part)
    steps[depth].parent.mkdir(parents=True, exist_ok=True)
    steps[depth].symlink_to(outside, target_is_directory=True)
    with pytest.raises(EngineError, match="is a symbolic link"):
        workspace.prepare(FILES)
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize("path", ["../x", "/etc/x", "a/../../x", "."])
def test_a_generated_path_that_leads_out_is_refused(workspace: Workspace, path: str) -> None:
    with pytest.raises(EngineError, match="leads out"):
        workspace.prepare({PurePosixPath(path): ""})


@pytest.mark.parametrize("pool", ["../../etc/x", ".", "..", "/abs", "a/b", "", "a b", "-x"])
def test_b183_a_key_that_is_no_path_is_refused(tmp_path: Path, pool: str) -> None:
    with pytest.raises(EngineError, match="cannot be a path"):
        Workspace(tmp_path, a_key(pool=pool))


def test_a_file_where_a_folder_should_be(workspace: Workspace) -> None:
    workspace.home.mkdir(parents=True)
    (workspace.home / "work").write_text("", encoding="utf-8")
    with pytest.raises(EngineError, match="not a folder"):
        workspace.prepare(FILES)


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    write_file(tmp_path / "f", "old")
    with pytest.raises(UnicodeEncodeError):
        write_file(tmp_path / "f", "\ud800")
    assert (tmp_path / "f").read_text(encoding="utf-8") == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["f"]


def test_what_the_system_refuses_is_one_error(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("multicloud.engine.workspace.write_file", full)
    with pytest.raises(EngineError, match="No space left on device"):
        workspace.prepare(FILES)


def test_two_stacks_may_make_one_folder_at_once(tmp_path: Path) -> None:
    make_folder(tmp_path / "h", tmp_path / "h" / "a")
    make_folder(tmp_path / "h", tmp_path / "h" / "a")
    assert (tmp_path / "h" / "a").is_dir()
