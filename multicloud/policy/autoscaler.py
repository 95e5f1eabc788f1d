"""Pools whose size somebody else decides."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from multicloud.models.need import Spread
from multicloud.models.pool import Autoscaler
from multicloud.policy import kinds as k

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from multicloud.models.need import Need, Wish
    from multicloud.models.pool import Rule
    from multicloud.policy.reader import Reader


def compile_autoscaler(pool: Reader, need: Need, rules: Sequence[Rule]) -> Autoscaler | None:
    """The bounds in nodes; None: the size is ours.

    Without `max` each need gives its own, so that a rule may have another; `max_nodes` is then
    the largest of them.
    """
    given = pool.sub("autoscaler")
    if given is None:
        return None
    mode = given.or_else("mode", k.AUTOSCALER_MODE, k.AutoscalerMode.MANAGED)
    if mode is k.AutoscalerMode.MANAGED:
        for key in ("min", "max"):
            if key in given:
                given.fault(key, "goes with mode: external.", hint="Leave it out, or set the mode.")
        return None
    if "backstop" in pool:
        pool.fault("backstop", "would work against the autoscaler.", hint="Leave it out.")
    needs = list(_needs(pool, need, rules))
    fit = [_fits(holder, one) for holder, one in needs]  # each is to say what is wrong with it
    if not all(fit):
        return None
    counts = [count for _, one in needs for count in map(_nodes, one.wishes) if count]
    least = given.or_else("min", k.COUNT, 0)
    most = given.or_else("max", k.COUNT, max(counts, default=0))
    if most < 1:
        given.fault("max", "leaves no room for a node.", detail="Expected 1 or more.")
        return None
    room = min(counts, default=most) if "max" not in given else most
    if least > room:
        given.fault("min", f"{least} is more than max ({room}).")
        return None
    if "max" in given and len(set(counts)) > 1:
        given.fault(
            "max",
            "is one size, and the needs of this pool are of several.",
            hint="Leave it out: then each need says the most of its own rule.",
        )
    return Autoscaler(min_nodes=least, max_nodes=most)


def bounded(need: Need, autoscaler: Autoscaler | None, *, is_given: bool) -> Need:
    """The need for as many nodes as there may ever be: `max` if that is given, else its own."""
    if autoscaler is None or not is_given:
        return need
    wishes = tuple(_of_size(wish, autoscaler.max_nodes) for wish in need.wishes)
    return replace(need, wishes=wishes)


def _needs(pool: Reader, need: Need, rules: Sequence[Rule]) -> Iterator[tuple[Reader, Need]]:
    """Every need that is written, with the map that it is written in."""
    yield pool, need
    for reader, rule in zip(pool.subs("rules"), rules, strict=False):
        if "need" in reader:
            yield reader, rule.need


def _fits(holder: Reader, need: Need) -> bool:
    """Whether a need is one group of nodes of a known size; notes what is against it."""
    faults = []
    if any(_nodes(wish) is None for wish in need.wishes):
        faults.append(
            (
                "an autoscaler counts nodes, and this need does not say how large one is.",
                "Write A100:8 (GPUs per node), or instance_type and nodes.",
            )
        )
    if need.spread is not Spread.NONE:
        faults.append(
            (
                f"an autoscaler has one group, and spread: {need.spread} makes several.",
                "Leave spread out, or write a pool for each place.",
            )
        )
    if need.min_gpus is not None:
        faults.append(
            ("min_gpus has no meaning where an autoscaler decides.", "Say autoscaler: {min: ...}.")
        )
    for summary, hint in faults:
        holder.fault("need", summary, hint=hint)
    return not faults


def _nodes(wish: Wish) -> int | None:
    if wish.instance_type is not None:
        return wish.nodes
    return None if wish.per_node is None else -(-wish.gpus // wish.per_node)


def _of_size(wish: Wish, nodes: int) -> Wish:
    if wish.is_empty:
        return wish
    if wish.instance_type is not None:
        return replace(wish, nodes=nodes)
    return wish if wish.per_node is None else replace(wish, gpus=nodes * wish.per_node)
