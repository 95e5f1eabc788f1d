"""The engine's environment: what gets in, live and in the sandbox."""

from __future__ import annotations

from pathlib import Path

import pytest

from multicloud.engine.environment import engine_environment

CONFIG = Path("/project/.multicloud/engine/live/cli.tfrc")
SHELL = {
    "PATH": "/bin",
    "HOME": "/home/me",
    "TMPDIR": "/tmp/me",
    "LANG": "C.UTF-8",
    "HTTPS_PROXY": "http://proxy:1",
    "no_proxy": "localhost",
    "SSL_CERT_FILE": "/ca.pem",
    "AWS_ACCESS_KEY_ID": "AKIA",
    "AWS_ENDPOINT_URL_EC2": "http://localhost:5000",
    "TENCENTCLOUD_SECRET_KEY": "s",
    "GOOGLE_APPLICATION_CREDENTIALS": "/g.json",
    "ARM_CLIENT_ID": "a",
    "TF_HTTP_PASSWORD": "p",
    "TF_VAR_size": "9",
    "TF_LOG": "DEBUG",
    "TF_CLI_ARGS_plan": "-destroy",
    "TF_REATTACH_PROVIDERS": "{}",
    "TF_CLI_CONFIG_FILE": "/evil/.terraformrc",
    "TF_PLUGIN_CACHE_DIR": "/evil",
    "TF_WORKSPACE": "other",
    "TOFU_LOG": "DEBUG",
    "LD_PRELOAD": "/evil.so",
    "PYTHONPATH": "/evil",
    "GITHUB_TOKEN": "ghp",
}
DROPPED = (
    "TF_CLI_ARGS_plan",
    "TF_CLI_CONFIG_FILE",
    "TF_LOG",
    "TF_PLUGIN_CACHE_DIR",
    "TF_REATTACH_PROVIDERS",
    "TF_VAR_size",
    "TF_WORKSPACE",
    "TOFU_LOG",
)


def test_live_the_allow_list_and_ours() -> None:
    made = engine_environment(SHELL, cli_config=CONFIG, reattach=None, sandbox=False)
    kept = [name for name in SHELL if name not in (*DROPPED, "LD_PRELOAD", "PYTHONPATH")]
    kept.remove("GITHUB_TOKEN")
    assert made.env == {
        **{name: SHELL[name] for name in kept},
        "TF_CLI_CONFIG_FILE": str(CONFIG),
        "TF_IN_AUTOMATION": "1",
        "CHECKPOINT_DISABLE": "1",
    }
    assert made.dropped == DROPPED


def test_the_sandbox_has_no_credential_no_proxy_and_no_home() -> None:
    made = engine_environment(SHELL, cli_config=CONFIG, reattach='{"a/b": {}}', sandbox=True)
    assert made.env == {
        "PATH": "/bin",
        "TMPDIR": "/tmp/me",
        "LANG": "C.UTF-8",
        "HOME": str(CONFIG.parent),
        "TF_CLI_CONFIG_FILE": str(CONFIG),
        "TF_IN_AUTOMATION": "1",
        "CHECKPOINT_DISABLE": "1",
        "TF_REATTACH_PROVIDERS": '{"a/b": {}}',
    }
    assert made.dropped == (*DROPPED[:2], "TF_HTTP_PASSWORD", *DROPPED[2:])


def test_nothing_is_reattached_live() -> None:
    with pytest.raises(ValueError, match="sandbox only"):
        engine_environment({}, cli_config=CONFIG, reattach="{}", sandbox=False)
