"""How a pool behaves beside where it runs: moves, trust in prices, retries, nodes."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, TypedDict

from multicloud.models.pool import (
    Checkpoint,
    Moves,
    NodeSettings,
    Prefer,
    PriceTrust,
    Retry,
    Timeouts,
)
from multicloud.policy import kinds as k
from multicloud.policy.conditions import plain
from multicloud.policy.files import Files, read_ssh_key, read_startup
from multicloud.policy.reader import Reader
from multicloud.policy.yaml_source import Mapping

if TYPE_CHECKING:
    from datetime import timedelta

    from multicloud.models.gpu import Precision

_PLAN_MAX_AGE = k.DURATION.parse("1h")


class Settings(TypedDict):
    """Keyword arguments of `Pool`."""

    prefer: Prefer
    prefer_precision: Precision | None
    moves: Moves
    trust: PriceTrust
    plan_max_age: timedelta
    retry: Retry
    timeouts: Timeouts
    checkpoint: Checkpoint | None
    node: NodeSettings
    secrets: tuple[str, ...]


def compile_settings(pool: Reader, files: Files) -> Settings:
    """Everything that may also stand under `defaults:`; what is not written is the default."""
    node, secrets = _node(_sub(pool, "node"), files)
    per_tflop = pool.sub("prefer")
    precision = per_tflop.value("per_tflop", k.PRECISION) if per_tflop else None
    return Settings(
        prefer=Prefer.PER_TFLOP if precision else Prefer.CHEAPEST,
        prefer_precision=precision,
        moves=_moves(_sub(pool, "moves")),
        trust=_trust(pool),
        plan_max_age=pool.or_else("plan_max_age", k.DURATION, _PLAN_MAX_AGE),
        retry=_retry(_sub(pool, "retry")),
        timeouts=_timeouts(_sub(pool, "timeouts")),
        checkpoint=_checkpoint(pool.sub("checkpoint")),
        node=node,
        secrets=secrets,
    )


def _sub(pool: Reader, key: str) -> Reader:
    """The map under a key, or an empty one."""
    return pool.sub(key) or Reader(Mapping(pool.where(), ()), pool.path, pool.problems)


def _moves(moves: Reader) -> Moves:
    default = Moves()
    return Moves(
        min_saving=moves.or_else("min_saving", k.SHARE, default.min_saving),
        signal_for=moves.or_else("signal_for", k.DURATION, default.signal_for),
        min_stay=moves.or_else("min_stay", k.DURATION, default.min_stay),
        max_per_day=moves.or_else("max_per_day", k.COUNT, default.max_per_day),
        horizon=moves.or_else("horizon", k.DURATION, default.horizon),
    )


def _trust(pool: Reader) -> PriceTrust:
    default = PriceTrust()
    age = _sub(pool, "max_price_age")
    return PriceTrust(
        max_age_spot=age.or_else("spot", k.DURATION, default.max_age_spot),
        max_age_on_demand=age.or_else("on_demand", k.DURATION, default.max_age_on_demand),
        jump=pool.or_else("price_jump", k.FACTOR, default.jump),
        tolerance=pool.or_else("price_tolerance", k.SHARE, default.tolerance),
    )


def _retry(retry: Reader) -> Retry:
    default = Retry()
    return Retry(
        set_aside=retry.or_else("set_aside", k.DURATION, default.set_aside),
        evicted_zone=retry.or_else("evicted_zone", k.DURATION, default.evicted_zone),
        retry_upper_tier=retry.or_else("retry_upper_tier", k.DURATION, default.retry_upper_tier),
        refill_after=retry.or_else("refill_after", k.DURATION, default.refill_after),
        max_attempts=retry.or_else("max_attempts", k.POSITIVE_COUNT, default.max_attempts),
    )


def _timeouts(timeouts: Reader) -> Timeouts:
    default = Timeouts()
    return Timeouts(
        boot=timeouts.or_else("boot", k.DURATION, default.boot),
        drain=timeouts.or_else("drain", k.DURATION, default.drain),
        destroy=timeouts.or_else("destroy", k.DURATION, default.destroy),
    )


def _checkpoint(checkpoint: Reader | None) -> Checkpoint | None:
    if checkpoint is None:
        return None
    default = Checkpoint()
    return Checkpoint(
        every=checkpoint.value("every", k.DURATION),
        command=checkpoint.or_else("command", k.TEXT, default.command),
        restore=checkpoint.or_else("restore", k.DURATION, default.restore),
        size_gib=checkpoint.or_else("size", k.SIZE, default.size_gib),
        timeout=checkpoint.or_else("timeout", k.DURATION, default.timeout),
    )


def _node(node: Reader, files: Files) -> tuple[NodeSettings, tuple[str, ...]]:
    default = NodeSettings()
    startup, secrets = read_startup(node, files)
    settings = NodeSettings(
        image=node.value("image", k.TEXT),
        disk_gib=_whole_gib(node, default.disk_gib),
        startup=startup,
        ssh_key=read_ssh_key(node, files),
        public_ip=node.or_else("public_ip", k.BOOL, default.public_ip),
        ports=tuple(sorted(set(node.many("ports", k.PORT)))),
        drain_command=node.value("drain_command", k.TEXT),
        cluster_network=node.or_else(
            "cluster_network", k.CLUSTER_NETWORK, k.ClusterNetwork.AUTO
        ).value,
    )
    return settings, secrets


def _whole_gib(node: Reader, default: int) -> int:
    size = node.or_else("disk", k.SIZE, Decimal(default))
    if size != size.to_integral_value() or size < 1:
        node.fault(
            "disk", f"{plain(size)}Gi is no whole number of Gi.", detail="Expected such as 100Gi."
        )
    return int(size)
