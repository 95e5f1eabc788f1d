"""Answers as Tencent Cloud wraps them."""

from __future__ import annotations

from typing import Any

from tests.clouds.stub import Answer, answer


def response(**fields: Any) -> Answer:
    return answer({"Response": {"RequestId": "r-1", **fields}})


def refusal(code: str) -> Answer:
    return response(Error={"Code": code, "Message": f"{code} it is\nRequestId: hidden"})
