"""The engine's environment: an allow-list, so that nothing of the shell changes what it does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_SYSTEM = ("PATH", "TMPDIR", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "SYSTEMROOT", "TEMP", "TMP")
_HOME = "HOME"
_NETWORK = (
    *("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY"),
    *("http_proxy", "https_proxy", "no_proxy", "all_proxy"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "AWS_CA_BUNDLE"),
)
# Each cloud's own variables, `AWS_ENDPOINT_URL*` among them, and the http backend's password.
_CREDENTIALS = (
    *("AWS_", "GOOGLE_", "GCLOUD_", "CLOUDSDK_", "ARM_", "AZURE_", "TENCENTCLOUD_"),
    *("ALICLOUD_", "ALIBABA_CLOUD_", "OCI_", "TF_HTTP_"),
)
_ENGINES_OWN = ("TF_", "TOFU_")


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineEnvironment:
    """What the engine gets, and the names of Terraform's own variables that it does not get."""

    env: Mapping[str, str]
    dropped: tuple[str, ...] = ()


def engine_environment(
    environ: Mapping[str, str], *, cli_config: Path, reattach: str | None, sandbox: bool
) -> EngineEnvironment:
    """Choose from `environ` what the engine may see.

    `cli_config` is the CLI configuration that we wrote. In the sandbox there is no credential,
    no proxy, and its folder is the home, so nothing in the user's own is read. `reattach` is
    `TF_REATTACH_PROVIDERS`; only the sandbox has one.
    Raises: ValueError for a reattach outside of the sandbox, where it would fake a cloud.
    """
    if reattach is not None and not sandbox:
        raise ValueError("providers are reattached in the sandbox only")
    if sandbox:
        kept = {name: value for name, value in environ.items() if name in _SYSTEM}
        kept[_HOME] = str(cli_config.parent)
    else:
        known = {_HOME, *_SYSTEM, *_NETWORK}
        kept = {
            name: value
            for name, value in environ.items()
            if name in known or name.startswith(_CREDENTIALS)
        }
    dropped = [n for n in environ if n.startswith(_ENGINES_OWN) and n not in kept]
    ours = {
        "TF_CLI_CONFIG_FILE": str(cli_config),
        "TF_IN_AUTOMATION": "1",
        "CHECKPOINT_DISABLE": "1",
    }
    if reattach is not None:
        ours["TF_REATTACH_PROVIDERS"] = reattach
    return EngineEnvironment(env={**kept, **ours}, dropped=tuple(sorted(dropped)))
