"""Each stack has a state of its own in every backend."""

from __future__ import annotations

import pytest

from multicloud.errors import InvalidInputError
from multicloud.models.change import StackKey
from multicloud.models.project import Backend
from multicloud.render.backend import backend_block, local_state_path

KEY = StackKey(
    target="live",
    policy="daynight",
    pool="training",
    cloud="aws",
    region="us-east-1",
    digest="0123abcd",
)
OTHER = StackKey(
    target="live", policy="daynight", pool="b", cloud="aws", region="us-east-1", digest="0123abcd"
)
NAME = "live/daynight/training/aws-us-east-1-0123abcd"


def test_local_state_lies_beside_the_work_folders() -> None:
    assert local_state_path(KEY) == f"../../../../../state/{NAME}.tfstate"
    assert backend_block(Backend(), KEY) == {"local": {"path": local_state_path(KEY)}}


def test_local_state_of_a_folder_handed_over() -> None:
    block = backend_block(Backend(), KEY, local_state="terraform.tfstate")
    assert block == {"local": {"path": "terraform.tfstate"}}


@pytest.mark.parametrize(
    ("kind", "settings", "expected"),
    [
        (
            "s3",
            {"bucket": "b", "region": "r", "use_lockfile": "true"},
            {"bucket": "b", "region": "r", "use_lockfile": "true", "key": f"{NAME}.tfstate"},
        ),
        ("s3", {"bucket": "b", "prefix": "/gpu/"}, {"bucket": "b", "key": f"gpu/{NAME}.tfstate"}),
        ("gcs", {"bucket": "b", "prefix": "gpu"}, {"bucket": "b", "prefix": f"gpu/{NAME}"}),
        ("azurerm", {"container_name": "c"}, {"container_name": "c", "key": f"{NAME}.tfstate"}),
        (
            "cos",
            {"bucket": "b"},
            {
                "bucket": "b",
                "prefix": "live/daynight/training",
                "key": "aws-us-east-1-0123abcd.tfstate",
            },
        ),
        (
            "oss",
            {"bucket": "b", "prefix": "gpu"},
            {
                "bucket": "b",
                "prefix": "gpu/live/daynight/training",
                "key": "aws-us-east-1-0123abcd.tfstate",
            },
        ),
        (
            "http",
            {
                "address": "https://git.example/state/",
                "lock_address": "https://git.example/state/lock",
                "unlock_address": "https://git.example/unlock",
                "username": "ci",
            },
            {
                "address": "https://git.example/state/live.daynight.training.aws-us-east-1-0123abcd",
                "lock_address": (
                    "https://git.example/state/live.daynight.training.aws-us-east-1-0123abcd/lock"
                ),
                "unlock_address": (
                    "https://git.example/unlock/live.daynight.training.aws-us-east-1-0123abcd"
                ),
                "username": "ci",
            },
        ),
    ],
)
def test_remote_backends(kind: str, settings: dict[str, str], expected: dict[str, str]) -> None:
    backend = Backend(kind=kind, settings=settings)
    assert backend_block(backend, KEY) == {kind: expected}
    assert backend_block(backend, OTHER) != backend_block(backend, KEY)


@pytest.mark.parametrize(
    ("kind", "settings", "fault"),
    [
        ("consul", {}, "unknown backend 'consul'"),
        ("s3", {"bucket": "b", "key": "all.tfstate"}, "state of its own"),
        ("local", {"path": "all.tfstate"}, "state of its own"),
        ("http", {}, "no address"),
    ],
)
def test_what_would_not_work(kind: str, settings: dict[str, str], fault: str) -> None:
    with pytest.raises(InvalidInputError, match=fault):
        backend_block(Backend(kind=kind, settings=settings), KEY)
