"""Needs: short and long forms to one, and a rule's own keys over the pool's."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from multicloud.catalog.gpus import gpu_facts, resolve_gpu
from multicloud.models.need import Interconnect, Need, Spread, Wish
from multicloud.policy import kinds as k
from multicloud.policy.need_text import gib_text, need_text, parse_short_need
from multicloud.policy.reader import Reader, parsed
from multicloud.policy.scalars import ScalarError
from multicloud.policy.yaml_source import Mapping, Node, Scalar, Sequence

if TYPE_CHECKING:
    from multicloud.policy.problems import Problems

_OF_GPU = ("gpu", "gpus", "per_node", "gpu_memory", "interconnect", "arch", "spread", "min_gpus")
_OF_TYPE = ("instance_type", "nodes")
NOTHING = Need(wishes=(), text="nothing")


def compile_need(node: Node, path: str, problems: Problems) -> Need:
    """A need in any of its forms; `NOTHING` where faults leave none."""
    if isinstance(node, Mapping):
        return _from_map(Reader(node, path, problems))
    items = node.items if isinstance(node, Sequence) else (node,)
    wishes = tuple(w for w in (parsed(item, k.SHORT_NEED) for item in items) if w is not None)
    return Need(wishes=wishes, text=need_text(wishes)) if wishes else NOTHING


def overridden(own: Node, pool: Node, path: str, problems: Problems) -> Node:
    """The need of a rule: its own keys over the pool's, or its own short form alone."""
    if not isinstance(own, Mapping):
        return own
    names = [key.text for key, _ in own.entries]
    if isinstance(pool, Sequence) and not ({"gpu", "instance_type"} & set(names)):
        problems.add(
            own.where,
            path,
            "overrides keys of a need that is a list.",
            detail="Expected a whole need here, since the pool's has several forms.",
        )
        return pool
    entries = {key.text: (key, value) for key, value in _as_map(pool)}
    if "instance_type" in names:
        entries = {name: entry for name, entry in entries.items() if name not in _OF_GPU}
    if "gpu" in names:
        entries = {name: entry for name, entry in entries.items() if name not in _OF_TYPE}
    if "gpus" in names and "min_gpus" not in names:
        # The pool's minimum is of the pool's size; another size has itself as its minimum.
        entries.pop("min_gpus", None)
    entries |= {key.text: (key, value) for key, value in own.entries}
    return Mapping(own.where, tuple(entries.values()))


def _as_map(node: Node) -> tuple[tuple[Scalar, Node], ...]:
    if isinstance(node, Mapping):
        return node.entries
    if isinstance(node, Sequence):
        return ()
    try:
        wish = parse_short_need(node.text)
    except ScalarError:
        return ()
    keys = {"gpu": wish.gpu, "gpus": wish.gpus, "per_node": wish.per_node}
    return tuple(
        (Scalar(node.where, name, quoted=False), Scalar(node.where, str(value), quoted=False))
        for name, value in keys.items()
        if value is not None
    )


def _from_map(need: Reader) -> Need:
    if ("gpu" in need) == ("instance_type" in need):
        both = "gpu" in need
        need.fault(
            "",
            "has both gpu and instance_type." if both else "names neither gpu nor instance_type.",
            detail="Expected {gpu: A100, gpus: 8} or {instance_type: p4d.24xlarge, nodes: 1}.",
        )
        return NOTHING
    return _by_gpu(need) if "gpu" in need else _by_type(need)


def _by_gpu(need: Reader) -> Need:
    gpu, gpus = need.value("gpu", k.GPU), need.value("gpus", k.GPUS)
    memory = need.value("gpu_memory", k.SIZE)
    if "nodes" in need:
        need.fault("nodes", '"nodes" goes with instance_type.', hint="Say gpus and per_node.")
    if "gpus" not in need:
        need.fault("", '"gpus" is missing.', detail="Expected the number of GPUs wanted.")
    per_node = need.value("per_node", k.POSITIVE_GPUS)
    vgpu = bool(need.value("vgpu", k.BOOL))
    for key, count in (("gpus", gpus), ("per_node", per_node)):
        if isinstance(count, Fraction) and not vgpu:
            need.fault(key, f"{count} is a share of a GPU.", hint="Say vgpu: true with it.")
    if gpu == "any" and "gpu_memory" not in need:
        need.fault("gpu", '"any" needs gpu_memory.', detail="Expected such as gpu_memory: 24Gi.")
    if gpu is None or gpus is None:
        return NOTHING
    if memory is not None:
        facts = gpu_facts()
        largest = max(facts[name].memory_gib for name in resolve_gpu(gpu))
        if memory > largest:
            need.fault(
                "gpu_memory", f"no {gpu} has {gib_text(memory)}; the largest has {largest:f}Gi."
            )
    least = need.value("min_gpus", k.COUNT)
    if least is not None and least > gpus:
        need.fault("min_gpus", f"{least} is more than gpus ({gpus}).")
    wish = Wish(
        gpu=gpu,
        gpus=gpus,
        per_node=per_node,
        vgpu=vgpu,
        gpu_memory_gib=memory,
        vcpus=need.value("vcpus", k.POSITIVE_COUNT),
        memory_gib=need.value("memory", k.SIZE),
        interconnect=need.or_else("interconnect", k.INTERCONNECT, Interconnect.ANY),
        arch=need.or_else("arch", k.ARCH, k.Arch.X86_64).value,
    )
    return Need(
        wishes=(wish,),
        spread=need.or_else("spread", k.SPREAD, Spread.NONE),
        min_gpus=None if least == gpus else least,
        text=need_text((wish,)),
    )


def _by_type(need: Reader) -> Need:
    for key in (*_OF_GPU, "vgpu"):
        if key in need:
            need.fault(key, f'"{key}" does not go with instance_type.', hint="Leave it out.")
    name, count = need.value("instance_type", k.TEXT), need.value("nodes", k.COUNT)
    if "nodes" not in need:
        need.fault("", '"nodes" is missing.', detail="Expected the number of nodes wanted.")
    if name is None or count is None:
        return NOTHING
    wish = Wish(
        instance_type=name,
        nodes=count,
        vcpus=need.value("vcpus", k.POSITIVE_COUNT),
        memory_gib=need.value("memory", k.SIZE),
    )
    return Need(wishes=(wish,), text=need_text((wish,)))
