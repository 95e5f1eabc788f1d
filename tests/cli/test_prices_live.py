"""`prices refresh` of a live project: the real reader against a cloud on loopback."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from multicloud.clouds.azure import feed
from tests.clouds.azure.test_azure_feed import a_row, page
from tests.clouds.stub import Stub, answer, stub_server

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.cli.conftest import Multicloud


@pytest.fixture
def azure(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stub]:
    """Azure's price list; every other cloud is not asked."""
    with stub_server(tmp_path, monkeypatch) as stub:
        monkeypatch.setattr(feed, "ENDPOINT", f"{stub.url}/prices")
        (folder / "multicloud.yaml").write_text("target: live\n")
        stub.say("eastus", page(a_row()))
        stub.say("westus2", page(a_row(armRegionName="westus2", retailPrice=4.1)))
        yield stub


REFRESH = ("prices", "refresh", "--cloud", "azure", "--region", "eastus", "--region", "westus2")


def test_prices_of_a_live_cloud_rank_offers(multicloud: Multicloud, azure: Stub) -> None:
    said = multicloud(*REFRESH, "--json")
    assert said.code == 0, said.out + said.err
    told = said.json["clouds"]["azure"]
    assert (told["read"], told["new"]) == (2, 2)
    shown = multicloud("prices", "show", "--in", "azure/westus2", "--json")
    assert "4.1" in shown.out
    offers = multicloud("offers", "A100-80GB:1", "--json")
    assert "azure retail prices" in offers.out


def test_one_region_that_fails_leaves_the_other(multicloud: Multicloud, azure: Stub) -> None:
    azure.say("westus2", answer({}, 500))
    said = multicloud(*REFRESH, "--json")
    assert said.code == 5
    told = said.json["clouds"]["azure"]
    assert (told["read"], list(told["failed"])) == (1, ["westus2"])
    azure.say("westus2", page(a_row(armRegionName="westus2")))
    assert multicloud(*REFRESH, "--json").json["clouds"]["azure"]["read"] == 1


def test_b49_a_row_in_another_currency_is_named_and_left_out(
    multicloud: Multicloud, azure: Stub
) -> None:
    azure.say("eastus", page(a_row(currencyCode="EUR")))
    said = multicloud(*REFRESH)
    assert said.code == 0
    assert "a price in EUR, where USD is billed" in said.out + said.err


def test_only_clouds_that_have_a_region_are_asked_for_it(
    multicloud: Multicloud, azure: Stub
) -> None:
    said = multicloud("prices", "refresh", "--region", "eastus", "--json")
    assert said.code == 0, said.out + said.err
    assert list(said.json["clouds"]) == ["azure"]


def test_what_is_wrong_everywhere_is_said_once(multicloud: Multicloud, azure: Stub) -> None:
    azure.say("GET", answer({}, 403))
    said = multicloud(*REFRESH)
    assert said.code == 1
    assert "!  azure/eastus and 1 more: HTTP403" in said.out
    assert said.out.count("HTTP403") == 1
