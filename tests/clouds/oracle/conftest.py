"""A profile with a key of its own, and a stub in place of Oracle's services."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from multicloud.clouds.oracle import session as sessions

if TYPE_CHECKING:
    from pathlib import Path

    from tests.clouds.stub import Stub


@pytest.fixture(scope="session")
def key() -> bytes:
    made = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return made.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )


@pytest.fixture
def profile(stub: Stub, key: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stub:
    """A stub, and a profile of Oracle's command line for it."""
    (tmp_path / "key.pem").write_bytes(key)
    (tmp_path / "config").write_text(
        "[DEFAULT]\nuser=ocid1.user.oc1..me\ntenancy=ocid1.tenancy.oc1..us\n"
        "fingerprint=aa:bb:cc:dd:ee:ff:00:11:22:33:44:55:66:77:88:99\n"
        f"key_file={tmp_path / 'key.pem'}\nregion=us-phoenix-1\n"
    )
    monkeypatch.setenv("OCI_CLI_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.delenv("OCI_CLI_PROFILE", raising=False)
    monkeypatch.setattr(sessions, "ENDPOINT", stub.url)
    return stub
