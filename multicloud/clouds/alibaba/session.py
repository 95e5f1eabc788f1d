"""Alibaba Cloud's credentials and calls with our bounds on time, and what refusals ask for."""

from __future__ import annotations

import importlib
import logging
import time
from functools import partial
from typing import TYPE_CHECKING, Any

from multicloud.clouds import failures
from multicloud.clouds.failures import failure, missing_sdk, unreadable
from multicloud.errors import CloudError
from multicloud.models.offer import Cloud

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from multicloud.models.project import CloudSettings

PROTOCOL = "HTTPS"
# Empty: the SDK's own, by region.
ECS = ""
ESS = ""
# The central one takes accounts of both sites, api.aliyun.com/product/Sts.
STS = "sts.aliyuncs.com"
THROTTLE_WAITS_S = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
"""For readers of many prices: a flow control's minute (DescribePrice: 500 calls) is outlasted."""

_KEYS = "Get new ones: Alibaba Cloud does not accept the credentials."
_RIGHTS = "Give the RAM user AliyunECSReadOnlyAccess."
_AGAIN = "Run again in a minute."
# What to do about a code, by its beginning: api.aliyun.com/document/Ecs/2014-05-26/errorCode.
ADVICE: Mapping[str, str] = {
    "InvalidAccessKeyId": _KEYS,
    "InvalidSecurityToken": _KEYS,
    "SignatureDoesNotMatch": _KEYS,
    "IncompleteSignature": _KEYS,
    "Forbidden": _RIGHTS,
    "NoPermission": _RIGHTS,
    "InvalidRegionId": "Check the region in the project file.",
}


def credential(settings: CloudSettings) -> Any:  # noqa: ANN401 - the SDK has no static types
    """The profile of Alibaba Cloud's CLI that is set, or the SDK's ordinary chain.

    Raises: CloudError without the SDK, MissingCredentialsError without credentials.
    """
    try:
        importlib.import_module("alibabacloud_ecs20140526.client")
        from alibabacloud_credentials.client import Client
        from alibabacloud_credentials.provider import CLIProfileCredentialsProvider
    except ImportError as error:
        missing_sdk(Cloud.ALIBABA, error)
    # It prints whole tracebacks of each step of the chain; the error tells what is wanted.
    logging.getLogger("credentials").disabled = True
    named = settings.profile
    provider = CLIProfileCredentialsProvider(profile_name=named) if named else None
    try:
        found = Client(provider=provider)
        found.get_credential()
    except Exception as error:  # noqa: BLE001 - whatever the chain trips over is no credentials
        # Its own words may hold an answer with keys in it.
        where = f"profile {named}" if named else "Alibaba Cloud's chain"
        hint = "Run: aliyun configure, or set ALIBABA_CLOUD_ACCESS_KEY_ID and its _SECRET."
        name = type(error).__name__
        raise failure(name, f"no credentials in {where}", hint, is_missing=True) from None
    return found


def client(kind: Any, credential: Any, endpoint: str, region: str) -> Any:  # noqa: ANN401
    """A client of one service; an empty endpoint is the SDK's own for the region."""
    from alibabacloud_tea_openapi.utils_models import Config

    config = Config(
        credential=credential,
        endpoint=endpoint or None,
        protocol=PROTOCOL,
        region_id=region,
    )
    return kind(config)


def pages(call: Callable[[str], Any], entries: Callable[[Any], Any]) -> list[Any]:
    """Everything of a list that goes on at a token: `call` gets it, `entries` takes a body apart.

    Raises: CloudError.
    """
    found: list[Any] = []
    token, seen = "", set[str]()
    while True:
        body = ask(partial(call, token)).body
        found += entries(body) or ()
        token = str(getattr(body, "next_token", None) or "")
        if not token:
            return found
        if token in seen:
            raise failure("EndlessAnswer", "the list has no end", _AGAIN)
        seen.add(token)


def bounds() -> Any:  # noqa: ANN401 - see `credential`
    """How long a call may take, in the SDK's milliseconds; `ask` does what is done again."""
    from darabonba.runtime import RuntimeOptions

    return RuntimeOptions(
        autoretry=False,
        connect_timeout=int(failures.CONNECT_S * 1000),
        read_timeout=int(failures.READ_S * 1000),
    )


def ask(call: Callable[[], Any], *, throttle_waits: Iterable[float] = ()) -> Any:  # noqa: ANN401 - see `credential`
    """Call, and again after what passes: too many calls, and faults of the service.

    `throttle_waits` are seconds before each call after one that was too many; without any, those
    are called again as soon as after a fault. Raises: CloudError.
    """
    fault_waits = iter([0.2 * count for count in range(1, failures.ATTEMPTS)])
    patient = iter(tuple(throttle_waits)) if throttle_waits else fault_waits
    while True:
        try:
            return call()
        except Exception as error:
            waits = patient if _is_throttled(error) else fault_waits
            wait = next(waits, None) if _passes(error) else None
            if wait is None:
                raise cloud_error(error) from error
        time.sleep(wait)


def _is_throttled(error: Exception) -> bool:
    return getattr(error, "status_code", None) == 429 or _code(error).startswith("Throttling")


def _passes(error: Exception) -> bool:
    return _is_throttled(error) or (getattr(error, "status_code", None) or 0) >= 500


def is_refused(error: CloudError) -> bool:
    """Whether the credentials lack the right to ask."""
    return error.code.startswith(("Forbidden", "NoPermission"))


def _code(error: Exception) -> str:
    return str(getattr(error, "code", "") or "")


def cloud_error(error: Exception) -> CloudError:
    """An error of Alibaba Cloud's SDK as ours: its code, its words, and what to do."""
    if isinstance(error, CloudError):
        return error
    code = _code(error)
    if not code:
        return _without_code(error)
    words = str(getattr(error, "message", ""))
    # What stands behind are the request's id, and for a wrong signature what was signed.
    words = words.partition(" request id:")[0].partition("server string")[0]
    hint = next((told for start, told in ADVICE.items() if code.startswith(start)), _AGAIN)
    return failure(code, words.partition(", ")[2] or words, hint)


def _without_code(error: Exception) -> CloudError:
    """The SDK has one class for silence and for an answer that is cut short."""
    words = str(error)
    if "json" in words or isinstance(error, AttributeError | ArithmeticError | TypeError):
        return unreadable(Cloud.ALIBABA, error)
    silent = "timed out" in words
    told = "no answer in time" if silent else "the service cannot be reached"
    hint = "Check the network, a proxy, and the name service."
    return failure("NoAnswer" if silent else type(error).__name__, told, hint)
