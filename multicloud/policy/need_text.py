"""Needs as they are written in one line, and as people read them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from multicloud.catalog.gpus import gpu_names, resolve_gpu
from multicloud.models.need import Wish
from multicloud.policy.near import did_you_mean
from multicloud.policy.scalars import ScalarError, parse_count

if TYPE_CHECKING:
    from collections.abc import Iterable
    from decimal import Decimal

_SHORT = re.compile(
    r"(?:(?P<times>\d+)\s*x\s+|(?P<close>\d+)x(?=[A-Za-z]))?(?P<gpu>[A-Za-z][\w.-]*)"
    r"(?::(?P<per_node>\d+))?",
    re.ASCII,
)
_EXPECTED = "Expected [N x] GPU[:PER_NODE], as in A100:8, 2 x A100:8 or 16 x A100."


def parse_gpu(text: str) -> str:
    """A GPU of the catalogue, in the catalogue's own spelling, or `any`.

    Raises: ScalarError with near misses.
    """
    if text == "any":
        return text
    if not resolve_gpu(text):
        raise ScalarError(
            f'unknown GPU "{text}".',
            expected="Expected a name of the catalogue such as A100, A100-80GB or T4.",
            hint=did_you_mean(text, gpu_names()),
        )
    folded = text.casefold()
    return next((name for name in gpu_names() if name.casefold() == folded), text)


def parse_short_need(text: str) -> Wish:
    """`A100:8` one node of 8, `2 x A100:8` two such, `16 x A100` 16 GPUs, `A100` one.

    Raises: ScalarError.
    """
    match = _SHORT.fullmatch(text.strip())
    if match is None:
        raise ScalarError(f'"{text}" is not a need.', expected=_EXPECTED, hint=_why_not(text))
    if match["gpu"] == "any":
        raise ScalarError(
            '"any" does not say how much memory.', expected="Expected {gpu: any, gpu_memory: 24Gi}."
        )
    gpu = parse_gpu(match["gpu"])
    times = parse_count(match["times"] or match["close"] or "1")
    if match["per_node"] is None:
        return Wish(gpu=gpu, gpus=times)
    per_node = parse_count(match["per_node"])
    if per_node == 0:
        raise ScalarError(
            f'"{text}" asks for nodes without GPUs.',
            expected=_EXPECTED,
            hint=f'For nothing at all write "0 x {match["gpu"]}", or the outcome off.',
        )
    return Wish(gpu=gpu, gpus=times * per_node, per_node=per_node)


def _why_not(text: str) -> str:
    star = re.fullmatch(r"\s*(\d+)\s*[*×]\s*(\S+)\s*", text)
    if star:
        return f'Did you mean "{star[1]} x {star[2]}"?'
    plain = re.fullmatch(r"\s*(\d+)\s+([A-Za-z]\S*)\s*", text)
    if plain:
        return f'Did you mean "{plain[1]} x {plain[2]}"?'
    return ""


def need_text(wishes: Iterable[Wish]) -> str:
    """The need for people: `2x8 A100`, `4 T4`, `8 A100-80GB or 4 H100`."""
    return " or ".join(_wish_text(wish) for wish in wishes)


def _wish_text(wish: Wish) -> str:
    if wish.instance_type is not None:
        text = f"{wish.nodes} {wish.instance_type}"
    elif wish.gpu == "any":
        text = f"{_size(wish)} GPU of {gib_text(wish.gpu_memory_gib)}"
    else:
        text = f"{_size(wish)} {wish.gpu}"
        if wish.gpu_memory_gib is not None:
            text += f" of {gib_text(wish.gpu_memory_gib)}"
    return text


def _size(wish: Wish) -> str:
    if wish.per_node is None or wish.gpus in (0, wish.per_node):
        return str(wish.gpus)
    nodes = -(-wish.gpus // wish.per_node)
    if nodes * wish.per_node == wish.gpus:
        return f"{nodes}x{wish.per_node}"
    return f"{wish.gpus} ({nodes}x{wish.per_node})"


def gib_text(size: Decimal | None) -> str:
    """A size as a policy writes it."""
    return "any size" if size is None else f"{size.normalize():f}Gi"
