"""What `doctor` says of accounts: who, how long, how much, and what is wrong."""

from __future__ import annotations

import threading
from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from multicloud.clouds import accounts
from multicloud.errors import CloudError
from multicloud.models.account import Access, Quota
from multicloud.models.offer import Cloud
from multicloud.models.project import CloudSettings, Project, RegionSettings, Target
from multicloud.run.credentials import check_credentials
from multicloud.run.finding import Finding, Health
from tests.builders import NOON

if TYPE_CHECKING:
    from datetime import datetime

LIVE = Project(
    target=Target.LIVE,
    clouds={Cloud.AWS: CloudSettings(regions={"us-east-1": RegionSettings()})},
)


class Known:
    """An account that answers."""

    def __init__(self, expires_at: datetime | None = None, limit: int = 96) -> None:
        self._expires_at = expires_at
        self._limit = limit

    def access(self) -> Access:
        return Access(cloud=Cloud.AWS, who="arn:me", expires_at=self._expires_at)

    def quotas(self, region: str) -> tuple[Quota, ...]:
        limit = Decimal(self._limit)
        return (Quota(cloud=Cloud.AWS, region=region, name="P", unit="vcpu", limit=limit),)


class Refused(Known):
    def access(self) -> Access:
        raise CloudError("InvalidClientTokenId: no")

    def quotas(self, region: str) -> tuple[Quota, ...]:
        raise CloudError("AccessDenied: no")


class NoQuotas(Known):
    quotas = Refused.quotas


class Silent(Known):
    def access(self) -> Access:
        threading.Event().wait(5)
        raise AssertionError


def findings(
    account: Known, monkeypatch: pytest.MonkeyPatch, project: Project = LIVE
) -> list[Finding]:
    monkeypatch.setattr(accounts, "ACCOUNTS", {Cloud.AWS: lambda _: account})
    return list(check_credentials(project, {}, NOON))


def test_who_and_how_much(monkeypatch: pytest.MonkeyPatch) -> None:
    found = findings(Known(), monkeypatch)
    assert [(f.name, f.health, f.text) for f in found] == [
        ("aws", Health.OK, "arn:me, no end known"),
        ("aws/us-east-1", Health.OK, "P: 96 vcpu"),
    ]


@pytest.mark.parametrize(
    ("left", "health", "words"),
    [
        (timedelta(hours=8), Health.OK, "for 8 h 00 min more"),
        (timedelta(minutes=40), Health.NOTE, "for 0 h 40 min more"),
        (timedelta(0), Health.BAD, "credentials ended 2026-05-04 12:00Z"),
    ],
)
def test_how_long(
    left: timedelta, health: Health, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = findings(Known(NOON + left), monkeypatch)[0]
    assert found.health is health
    assert words in found.text


def test_what_cannot_be_had_at_all_is_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    assert findings(Known(limit=0), monkeypatch)[1].health is Health.NOTE


def test_a_refusal_is_bad_and_says_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    (found,) = findings(Refused(), monkeypatch)
    assert found.health is Health.BAD
    assert "AWS_PROFILE" in found.hint


def test_quotas_that_cannot_be_read_are_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    found = findings(NoQuotas(), monkeypatch)
    assert [f.health for f in found] == [Health.OK, Health.NOTE]


def test_a_cloud_that_does_not_answer_holds_nobody_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accounts, "ACCOUNTS", {Cloud.AWS: lambda _: Silent()})
    told = accounts.ask_all({Cloud.AWS: CloudSettings()}, timeout_s=0.05)
    assert "no answer within 0.05 s" in str(told[Cloud.AWS].access)


def test_the_sandbox_asks_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accounts, "ACCOUNTS", {})
    found = list(check_credentials(Project(), {"AWS_PROFILE": "me"}, NOON))
    assert [(f.name, f.health) for f in found] == [("aws", Health.OK)]
    assert "does not use" in found[0].text
