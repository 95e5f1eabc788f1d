"""Pools: rules, defaults and boundaries put together."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from multicloud.catalog.clouds import CLOUDS, matches_place
from multicloud.catalog.gpus import is_tpu, resolve_gpu
from multicloud.catalog.shapes import find_shape
from multicloud.models.condition import Always
from multicloud.models.offer import Cloud
from multicloud.models.pool import Fixed, IfNone, Outcome, Pool, Rule
from multicloud.policy import kinds as k
from multicloud.policy.autoscaler import bounded, compile_autoscaler
from multicloud.policy.backstop import weekly_times
from multicloud.policy.budgets import compile_budget
from multicloud.policy.check import join
from multicloud.policy.conditions import compile_when
from multicloud.policy.needs import NOTHING, compile_need, overridden
from multicloud.policy.outcomes import compile_outcome, scope_text
from multicloud.policy.raw import SHARED
from multicloud.policy.settings import compile_settings
from multicloud.policy.yaml_source import Mapping, Node

if TYPE_CHECKING:
    from collections.abc import Iterable

    from multicloud.models.need import Need, Wish
    from multicloud.models.place import Place
    from multicloud.policy.context import Context
    from multicloud.policy.files import Files
    from multicloud.policy.reader import Reader

_MINUTE, _WEEK = timedelta(minutes=1), timedelta(days=7)
_SHARED_KEYS = frozenset(key.name for key in SHARED)


def with_defaults(pool: Node, defaults: Node | None) -> Node:
    """A pool's map with the keys of `defaults:` that it does not have, key by key."""
    if not isinstance(pool, Mapping) or not isinstance(defaults, Mapping):
        return pool
    shared = [entry for entry in defaults.entries if entry[0].text in _SHARED_KEYS]
    return _merged(pool, Mapping(defaults.where, tuple(shared)))


def _merged(own: Mapping, defaults: Mapping) -> Mapping:
    entries = {key.text: (key, value) for key, value in own.entries}
    for key, value in defaults.entries:
        if key.text not in entries:
            entries[key.text] = (key, value)
            continue
        name, mine = entries[key.text]
        if isinstance(mine, Mapping) and isinstance(value, Mapping):
            entries[key.text] = (name, _merged(mine, value))
    return Mapping(own.where, tuple(entries.values()), own.repeated)


def compile_pool(
    name: str,
    pool: Reader,
    context: Context,
    files: Files,
    *,
    labels: dict[str, str],
    boundary: tuple[Place, ...],
) -> Pool:
    """One pool; `pool` has the defaults merged in, `labels` and `boundary` are the policy's."""
    node = pool.get("need")
    path = join(pool.path, "need")
    need = compile_need(node, path, context.problems) if node else NOTHING
    rules, otherwise = _rules(pool, context, need)
    autoscaler = compile_autoscaler(pool, need, rules)
    scaler = pool.sub("autoscaler")
    is_given = scaler is not None and "max" in scaler
    rules = tuple(
        replace(rule, need=bounded(rule.need, autoscaler, is_given=is_given)) for rule in rules
    )
    own = pool.many("only_in", k.PLACE)
    _check_boundary(pool, own, boundary)
    merged = labels | compile_labels(pool)
    backstop = _backstop(pool)
    if any(
        _is_of_slices(wish) for each in (need, *(r.need for r in rules)) for wish in each.wishes
    ):
        for key, given in (("autoscaler", autoscaler), ("backstop", backstop)):
            if given is not None:
                pool.fault(
                    key,
                    "TPU slices are in no group: nobody else can resize them.",
                    hint="Leave it out, or make a pool of its own for the TPUs.",
                )
    return Pool(
        name=name,
        need=bounded(need, autoscaler, is_given=is_given),
        rules=rules,
        otherwise=otherwise,
        autoscaler=autoscaler,
        labels=tuple(sorted(merged.items())),
        only_in=own or boundary,
        was=pool.value("was", k.POOL_NAME),
        backstop=backstop,
        backstops=weekly_times(rules, otherwise, backstop) if backstop else (),
        budget=compile_budget(pool, context),
        expires=_expires(pool, context),
        where=pool.where(),
        **compile_settings(pool, files),
    )


def _is_of_slices(wish: Wish) -> bool:
    """Whether TPUs are meant, which are bought one by one."""
    if wish.instance_type is not None:
        shape = find_shape(Cloud.GCP, wish.instance_type)
        return shape is not None and is_tpu(shape.gpu)
    return any(is_tpu(name) for name in resolve_gpu(wish.gpu or ""))


def _expires(pool: Reader, context: Context) -> datetime | None:
    """The instant from which the pool is off; a day alone means its end."""
    moment = pool.value("expires", k.MOMENT)
    if moment is None:
        return None
    path = join(pool.path, "expires")
    return context.instant(moment, pool.where("expires"), path, is_end=True)


def _backstop(pool: Reader) -> timedelta | None:
    """How long after a window the cloud's own schedule acts; it counts in whole minutes."""
    after = pool.value("backstop", k.DURATION)
    if after is None:
        return None
    if after % _MINUTE or not _MINUTE <= after < _WEEK:
        pool.fault(
            "backstop",
            "is no whole number of minutes under a week.",
            detail="Expected such as 2h.",
        )
        return None
    return after


def compile_labels(holder: Reader) -> dict[str, str]:
    """Labels of a policy or a pool."""
    labels = holder.sub("labels")
    if labels is None:
        return {}
    found = {name: labels.value(name, k.LABEL) for name in labels}
    return {name: value for name, value in found.items() if value is not None}


def _check_boundary(pool: Reader, own: Iterable[Place], boundary: tuple[Place, ...]) -> None:
    if not boundary:
        return
    for place in own:
        beyond = [
            f"{cloud.value}/{region}"
            for cloud, facts in CLOUDS.items()
            for region in facts.regions
            if matches_place(place, cloud, region, None)
            and not any(matches_place(outer, cloud, region, None) for outer in boundary)
        ]
        if beyond:
            more = f" and {len(beyond) - 1} more" if len(beyond) > 1 else ""
            pool.fault(
                "only_in",
                f'"{place.text}" leaves the boundary of the policy: {beyond[0]}{more}.',
                detail=f"Expected places within {', '.join(outer.text for outer in boundary)}.",
            )


def _rules(pool: Reader, context: Context, need: Need) -> tuple[tuple[Rule, ...], Outcome | None]:
    if ("place" in pool) == ("rules" in pool):
        both = "place" in pool
        pool.fault(
            "rules" if both else "",
            "has both place and rules." if both else "has neither place nor rules.",
            detail="Expected place (always), or rules with otherwise.",
        )
    if "rules" not in pool:
        return _place_alone(pool, context, need), None
    rules = tuple(
        _rule(rule, number, pool.get("need"), context, need)
        for number, rule in enumerate(pool.subs("rules"), start=1)
    )
    _check_names(pool, rules)
    return rules, _otherwise(pool, context, need, rules)


def _place_alone(pool: Reader, context: Context, need: Need) -> tuple[Rule, ...]:
    node = pool.get("place")
    if "otherwise" in pool:
        pool.fault(
            "otherwise",
            "can never hold beside place, which always does.",
            hint="Leave it out, or write rules with when.",
        )
    if node is None:
        return ()
    outcome = compile_outcome(node, join(pool.path, "place"), context, need)
    rule = Rule(
        name="place",
        when=Always(),
        when_text="always",
        need=need,
        outcome=outcome,
        where=node.where,
    )
    return (rule,)


def _rule(rule: Reader, number: int, pool_need: Node | None, context: Context, need: Need) -> Rule:
    own = rule.get("need")
    if own is not None:
        path = join(rule.path, "need")
        whole = overridden(own, pool_need, path, context.problems) if pool_need else own
        need = compile_need(whole, path, context.problems)
    place = rule.get("place")
    outcome: Outcome = Fixed.OFF
    if place is not None:
        outcome = compile_outcome(place, join(rule.path, "place"), context, need)
    when, text = compile_when(
        rule.get("when"), join(rule.path, "when"), context, scope_text(outcome, need)
    )
    return Rule(
        name=rule.or_else("name", k.RULE_NAME, f"rule-{number}"),
        when=when,
        when_text=text,
        need=need,
        outcome=outcome,
        if_none=rule.or_else("if_none", k.IF_NONE, IfNone.WAIT),
        where=rule.where(),
    )


def _check_names(pool: Reader, rules: tuple[Rule, ...]) -> None:
    seen: set[str] = set()
    for reader, rule in zip(pool.subs("rules"), rules, strict=True):
        if rule.name in seen:
            reader.fault(
                "name" if "name" in reader else "",
                f'a second rule is named "{rule.name}".',
                detail="Expected each name once in a pool.",
            )
        seen.add(rule.name)


def _otherwise(
    pool: Reader, context: Context, need: Need, rules: tuple[Rule, ...]
) -> Outcome | None:
    node = pool.get("otherwise")
    if node is not None:
        return compile_outcome(node, join(pool.path, "otherwise"), context, need)
    if rules and not isinstance(rules[-1].when, Always):
        pool.fault(
            "",
            '"otherwise" is missing: nothing says what holds when no rule does.',
            detail="Expected otherwise: off, hold or tiers, or a last rule without when.",
        )
    return None
