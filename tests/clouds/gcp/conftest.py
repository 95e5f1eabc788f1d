"""A service account with a key of its own, and a stub in place of Google's services."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from multicloud.clouds.gcp import session as sessions
from multicloud.clouds.gcp import slices
from tests.clouds.stub import answer

if TYPE_CHECKING:
    from pathlib import Path

    from tests.clouds.stub import Stub

EMAIL = "doctor@my-project.iam.gserviceaccount.com"
TOKEN = answer({"access_token": "not-to-be-told", "expires_in": 3600, "token_type": "Bearer"})


@pytest.fixture(scope="session")
def key() -> str:
    made = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return made.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    ).decode()


@pytest.fixture
def let_in(stub: Stub, key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stub:
    """A stub that lets a service account in."""
    account = {
        "type": "service_account",
        "client_email": EMAIL,
        "private_key": key,
        "private_key_id": "1",
        "project_id": "my-project",
        "token_uri": f"{stub.url}/token",
    }
    file = tmp_path / "account.json"
    file.write_text(json.dumps(account))
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(file))
    monkeypatch.setattr(sessions, "ENDPOINT", stub.url)
    monkeypatch.setattr(slices, "ENDPOINT", stub.url)
    stub.say("/token", TOKEN)
    return stub
