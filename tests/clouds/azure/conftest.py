"""A managed identity, and a stub in place of Azure's services."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING

import pytest

from multicloud.clouds.azure import session as sessions
from tests.clouds.stub import Answer, answer

if TYPE_CHECKING:
    from tests.clouds.stub import Stub

SECRET = "not-to-be-told"


def a_token(**claims: str) -> Answer:
    middle = base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=")
    token = f"{SECRET}.{middle}.{SECRET}"
    return answer({"access_token": token, "expires_on": "4102444800", "token_type": "Bearer"})


@pytest.fixture
def let_in(stub: Stub, monkeypatch: pytest.MonkeyPatch) -> Stub:
    """A stub that gives a managed identity its token."""
    monkeypatch.setenv("IDENTITY_ENDPOINT", f"{stub.url}/token")
    monkeypatch.setenv("IDENTITY_HEADER", SECRET)
    monkeypatch.setenv("AZURE_TOKEN_CREDENTIALS", "ManagedIdentityCredential")
    monkeypatch.setattr(sessions, "ENDPOINT", stub.url)
    stub.say("/token", a_token(appid="app-1", oid="object-1"))
    return stub
