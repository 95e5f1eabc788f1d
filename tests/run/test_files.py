"""What the user names is read, or told in one sentence why not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from multicloud.errors import InvalidInputError
from multicloud.run.files import find_project_file, policy_files, read_beside, read_text

if TYPE_CHECKING:
    from pathlib import Path


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="policy does not exist") as caught:
        read_text(tmp_path / "none.yaml", what="policy")
    assert caught.value.where is not None
    assert caught.value.where.file.endswith("none.yaml")


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="is not a regular file"):
        read_text(tmp_path, what="policy")


def test_other_encodings_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "latin.yaml"
    file.write_bytes(b"name: caf\xe9")
    with pytest.raises(InvalidInputError, match="not UTF-8"):
        read_text(file, what="policy")


def test_huge_files_are_not_read(tmp_path: Path) -> None:
    file = tmp_path / "huge.yaml"
    file.write_bytes(b"#" * ((1 << 20) + 1))
    with pytest.raises(InvalidInputError, match="larger than"):
        read_text(file, what="policy")


def test_the_project_file_is_found_upwards(tmp_path: Path) -> None:
    (tmp_path / "multicloud.yaml").write_text("target: sandbox\n")
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    assert find_project_file(deep) == tmp_path / "multicloud.yaml"


def test_policies_beside_the_project_in_order_of_name(tmp_path: Path) -> None:
    folder = tmp_path / "policies"
    (folder / "tests").mkdir(parents=True)
    for name in ("b.yaml", "a.yml", "notes.md", "tests/c.yaml"):
        (folder / name).write_text("")
    assert [p.name for p in policy_files(tmp_path, ())] == ["a.yml", "b.yaml"]


def test_no_policy_at_all_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="multicloud init"):
        policy_files(tmp_path, ())


def test_a_listed_pattern_must_match(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="matches no file"):
        policy_files(tmp_path, ("night/*.yaml",))


@pytest.mark.parametrize("path", ["/etc/hostname", "../../secret", "link"])
def test_files_beside_a_policy_stay_inside_the_project(tmp_path: Path, path: str) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (tmp_path / "secret").write_text("x")
    (project / "link").symlink_to(tmp_path / "secret")
    with pytest.raises(InvalidInputError, match="outside the project"):
        read_beside(str(project / "p.yaml"), path, root=project)


def test_a_file_inside_is_read(tmp_path: Path) -> None:
    (tmp_path / "start.sh").write_text("echo hi\n")
    assert read_beside(str(tmp_path / "p.yaml"), "start.sh", root=tmp_path) == "echo hi\n"
