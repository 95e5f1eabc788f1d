"""Every key that a policy and a project file may have: the one table of the language.

The check of a file, the JSON Schema and `validate --expand` all read it. It says what may be
written; `policy.compile` says what it means together.
"""

from __future__ import annotations

from multicloud.models.offer import Cloud
from multicloud.policy import kinds as k
from multicloud.policy.scalars import choice_of
from multicloud.policy.shape import Key, ListOf, MapOf, OneOf, Ref, Shape, Type

_NOT_BUILT = "Accepting it without its effect would mislead."

PLACES = ListOf(item=k.PLACE)
TEXTS = ListOf(item=k.TEXT)

NEED_MAP = Shape(
    name="need_map",
    doc="by GPU: gpu and gpus; by type: instance_type and nodes",
    keys=(
        Key(name="gpu", type=k.GPU, doc="a name of the catalogue, or any with gpu_memory"),
        Key(name="gpus", type=k.GPUS, doc="GPUs wanted; 0 equals off"),
        Key(name="per_node", type=k.POSITIVE_GPUS, doc="GPUs per node; any without it"),
        Key(name="gpu_memory", type=k.SIZE, doc="least memory per GPU"),
        Key(name="instance_type", type=k.TEXT, doc="a type of a cloud, instead of gpu"),
        Key(name="nodes", type=k.COUNT, doc="nodes of that type; 0 equals off"),
        Key(name="vcpus", type=k.POSITIVE_COUNT, doc="least vCPUs per node"),
        Key(name="memory", type=k.SIZE, doc="least main memory per node"),
        Key(name="interconnect", type=k.INTERCONNECT, doc="what joins the GPUs (any)"),
        Key(name="arch", type=k.ARCH, doc="the nodes' processors (x86_64)"),
        Key(name="spread", type=k.SPREAD, doc="one offer, zones of a region, or tiers (none)"),
        Key(name="min_gpus", type=k.COUNT, doc="the least that counts as met (gpus)"),
        Key(name="vgpu", type=k.BOOL, doc="shares of a GPU will do (false)"),
    ),
)
NEED = OneOf(
    name="need",
    doc="what a pool wants",
    scalar=k.SHORT_NEED,
    sequence=ListOf(item=k.SHORT_NEED),
    mapping=NEED_MAP,
)

RESERVATION = Shape(
    name="reservation",
    keys=(
        Key(name="id", type=k.TEXT, required=True),
        Key(name="kind", type=k.RESERVATION_KIND, default="on_demand"),
        Key(name="from", type=k.MOMENT),
        Key(name="until", type=k.MOMENT),
    ),
)
TIER = Shape(
    name="tier",
    doc="an entry of a place list; its offers are equal but for cost",
    keys=(
        Key(name="in", type=PLACES, required=True, doc="where"),
        Key(name="not_in", type=PLACES, doc="but not there"),
        Key(name="capacity", type=ListOf(item=k.CAPACITY), default="on_demand"),
        Key(name="max_price", type=k.PRICE, doc="cap, for starting and for staying"),
        Key(name="instance_types", type=TEXTS, doc="only these types"),
        Key(name="reservation", type=RESERVATION, doc="with capacity: reserved"),
        Key(name="wait", type=k.DURATION, doc="try so long before the next tier"),
        Key(name="max_gpus", type=k.POSITIVE_COUNT, doc="with spread: places"),
        Key(name="min_discount", type=k.SHARE, doc="spot counts only that far below on-demand"),
    ),
)
OUTCOME = OneOf(
    name="outcome",
    doc="off, hold, a tier, or a list of tiers",
    scalar=k.FIXED,
    sequence=ListOf(item=TIER, alone=False),
    mapping=TIER,
)

PRICE_SCOPE = Shape(
    name="price_scope",
    keys=(
        Key(name="in", type=PLACES, default="any"),
        Key(name="capacity", type=ListOf(item=k.CAPACITY), default="on_demand"),
        Key(name="need", type=NEED, doc="the rule's without it"),
    ),
)
PRICE_CONDITION = Shape(
    name="price_condition",
    doc="cost of the cheapest whole placement, per GPU or per node",
    keys=(
        Key(name="below", type=k.PRICE),
        Key(name="above", type=k.PRICE),
        Key(name="until", type=k.PRICE, doc="where it ends; 5 % beyond without it"),
        Key(name="of", type=PRICE_SCOPE, doc="this rule's tiers without their caps"),
    ),
)
AVAILABILITY = Shape(
    name="availability",
    keys=(
        Key(name="in", type=PLACES, required=True),
        Key(name="capacity", type=ListOf(item=k.CAPACITY), default="spot"),
        Key(name="last", type=k.DURATION, default="3h"),
        Key(name="at_least", type=k.SHARE, default="50%"),
    ),
)
CONDITION = Shape(
    name="condition",
    doc="all keys must hold",
    keys=(
        Key(name="time", type=ListOf(item=k.WINDOW), doc="any of these windows"),
        Key(name="dates", type=ListOf(item=k.DATES), doc="only windows that start then"),
        Key(name="skip", type=ListOf(item=k.DATES), doc="no windows that start then"),
        Key(name="price", type=PRICE_CONDITION),
        Key(name="availability", type=AVAILABILITY, doc="share of looks in which it was to be had"),
        Key(name="all", type=ListOf(item=Ref(name="when"), alone=False)),
        Key(name="any", type=ListOf(item=Ref(name="when"), alone=False)),
        Key(name="not", type=Ref(name="when")),
    ),
)
WHEN = OneOf(
    name="when",
    doc="a window, a list of windows (any), or a map whose keys must all hold",
    scalar=k.WINDOW,
    sequence=ListOf(item=k.WINDOW, alone=False),
    mapping=CONDITION,
)
RULE = Shape(
    name="rule",
    keys=(
        Key(name="name", type=k.RULE_NAME, doc="rule-N without it"),
        Key(name="when", type=Ref(name="when"), doc="always without it"),
        Key(name="need", type=NEED, doc="a map overrides the pool's key by key"),
        Key(name="place", type=OUTCOME, required=True),
        Key(name="if_none", type=k.IF_NONE, default="wait"),
    ),
)

PREFER = OneOf(
    name="prefer",
    scalar=k.PREFER,
    mapping=Shape(
        name="prefer_map", keys=(Key(name="per_tflop", type=k.PRECISION, required=True),)
    ),
)
MOVES = Shape(
    name="moves",
    doc="limits of price changes, never of the clock's",
    keys=(
        Key(name="min_saving", type=k.SHARE, default="10%"),
        Key(name="signal_for", type=k.DURATION, default="15m"),
        Key(name="min_stay", type=k.DURATION, default="1h"),
        Key(name="max_per_day", type=k.COUNT, default="6"),
        Key(name="horizon", type=k.DURATION, default="24h"),
    ),
)
MAX_PRICE_AGE = Shape(
    name="max_price_age",
    keys=(
        Key(name="spot", type=k.DURATION, default="6h"),
        Key(name="on_demand", type=k.DURATION, default="30d"),
    ),
)
RETRY = Shape(
    name="retry",
    keys=(
        Key(name="set_aside", type=k.DURATION, default="30m"),
        Key(name="evicted_zone", type=k.DURATION, default="60m"),
        Key(name="retry_upper_tier", type=k.DURATION, default="60m"),
        Key(name="refill_after", type=k.DURATION, default="15m"),
        Key(name="max_attempts", type=k.POSITIVE_COUNT, default="5"),
    ),
)
TIMEOUTS = Shape(
    name="timeouts",
    keys=(
        Key(name="boot", type=k.DURATION, default="15m"),
        Key(name="drain", type=k.DURATION, default="10m"),
        Key(name="destroy", type=k.DURATION, default="20m"),
    ),
)
CHECKPOINT = Shape(
    name="checkpoint",
    keys=(
        Key(name="every", type=k.DURATION),
        Key(name="command", type=k.TEXT),
        Key(name="restore", type=k.DURATION, default="5m"),
        Key(name="size", type=k.SIZE, default="0Gi", doc="prices the egress of a move"),
        Key(name="timeout", type=k.DURATION, default="100s"),
    ),
)
NODE = Shape(
    name="node",
    keys=(
        Key(name="image", type=k.TEXT, doc="looked up without it"),
        Key(name="disk", type=k.SIZE, default="100Gi"),
        Key(name="startup", type=k.FILE, doc="a file; ${env:NAME} works inside"),
        Key(name="ssh_key", type=k.FILE, doc="a file with the public key"),
        Key(name="public_ip", type=k.BOOL, default="false"),
        Key(name="ports", type=ListOf(item=k.PORT, allow_empty=True), default="[]"),
        Key(name="drain_command", type=k.TEXT),
        Key(name="cluster_network", type=k.CLUSTER_NETWORK, default="auto"),
        Key(name="report_url", type=k.TEXT, later=_NOT_BUILT),
    ),
)
SHARED = (
    Key(name="prefer", type=PREFER, default="cheapest", shared=True),
    Key(name="moves", type=MOVES, default="{}", shared=True),
    Key(name="max_price_age", type=MAX_PRICE_AGE, default="{}", shared=True),
    Key(name="price_jump", type=k.FACTOR, default="4", shared=True),
    Key(name="price_tolerance", type=k.SHARE, default="10%", shared=True),
    Key(name="plan_max_age", type=k.DURATION, default="1h", shared=True),
    Key(name="retry", type=RETRY, default="{}", shared=True),
    Key(name="timeouts", type=TIMEOUTS, default="{}", shared=True),
    Key(name="checkpoint", type=CHECKPOINT, shared=True),
    Key(name="node", type=NODE, default="{}", shared=True),
)
DEFAULTS = Shape(name="defaults", keys=SHARED, doc="merged key by key into each pool")

LABELS = MapOf(key=k.LABEL_NAME, value=k.LABEL)
BUDGET = Shape(
    name="budget",
    keys=(
        Key(name="max", type=k.ALLOWANCE, required=True, doc="per calendar month, day or hour"),
        Key(name="warn_at", type=k.SHARE, default="80%"),
        Key(name="when_spent", type=k.FIXED, default="hold"),
    ),
)
WORK = Shape(
    name="work",
    keys=(
        Key(name="hours", type=k.NUMBER, required=True),
        Key(name="by", type=k.MOMENT, required=True),
        Key(name="changeover", type=k.DURATION, default="10m"),
    ),
)
AUTOSCALER = Shape(
    name="autoscaler",
    keys=(
        Key(name="mode", type=k.AUTOSCALER_MODE, default="managed"),
        Key(name="min", type=k.COUNT),
        Key(name="max", type=k.COUNT),
    ),
)
POOL = Shape(
    name="pool",
    keys=(
        Key(name="need", type=NEED, required=True),
        Key(name="place", type=OUTCOME, doc="always; instead of rules"),
        Key(name="rules", type=ListOf(item=RULE, alone=False), doc="the first that holds"),
        Key(name="otherwise", type=OUTCOME, doc="what holds when no rule does"),
        *SHARED,
        Key(name="work", type=WORK, later=_NOT_BUILT),
        Key(name="autoscaler", type=AUTOSCALER, doc="external: we own the bounds, not the size"),
        Key(name="labels", type=LABELS, doc="over the policy's"),
        Key(name="budget", type=BUDGET, doc="recorded node-hours x price paid"),
        Key(name="only_in", type=PLACES, doc="within the policy's"),
        Key(name="expires", type=k.MOMENT, doc="off for good from then on"),
        Key(name="was", type=k.POOL_NAME, doc="its earlier name: nothing is replaced"),
        Key(name="backstop", type=k.DURATION, doc="the cloud empties it so long after a window"),
    ),
)

DISCOUNT = Shape(
    name="discount",
    keys=(
        Key(name="in", type=PLACES, required=True),
        Key(name="capacity", type=ListOf(item=k.CAPACITY), doc="all without it"),
        Key(name="instance_types", type=TEXTS, doc="all without it"),
        Key(name="off", type=k.SHARE, required=True),
        Key(name="until", type=k.DATE, doc="the last day"),
    ),
)
COMMITMENT = Shape(
    name="commitment",
    keys=(
        Key(name="kind", type=k.COMMITMENT_KIND, required=True),
        Key(name="in", type=PLACES, required=True),
        Key(name="instance_type", type=k.TEXT),
        Key(name="nodes", type=k.COUNT),
        Key(name="fee", type=k.SPEND, required=True),
        Key(name="from", type=k.MOMENT),
        Key(name="until", type=k.MOMENT, required=True),
        Key(name="ids", type=TEXTS),
    ),
)
LIMITS = Shape(
    name="limits",
    doc="guards of one run",
    keys=(
        Key(name="spend", type=k.SPEND),
        Key(name="new_nodes", type=k.COUNT),
        Key(name="destroyed_nodes", type=k.COUNT),
    ),
)
PROJECT_KEYS = (
    Key(name="fx", type=MapOf(key=k.RATE_CURRENCY, value=k.NUMBER), project=True),
    Key(
        name="discounts",
        type=ListOf(item=DISCOUNT, alone=False, allow_empty=True),
        project=True,
    ),
    Key(
        name="commitments",
        type=ListOf(item=COMMITMENT, alone=False, allow_empty=True),
        project=True,
    ),
    Key(name="only_in", type=PLACES, doc="boundary that no rule can leave", project=True),
    Key(name="limits", type=LIMITS, project=True),
)
POLICY = Shape(
    name="policy",
    keys=(
        Key(name="version", type=k.VERSION, required=True),
        Key(name="name", type=k.SLUG, required=True),
        Key(name="timezone", type=k.ZONE, doc="required if a window has no zone"),
        Key(name="workdays", type=k.CALENDAR, doc="calendar of workday and holiday"),
        Key(
            name="dates",
            type=MapOf(key=k.SET_NAME, value=ListOf(item=k.DATE_RANGE, allow_empty=True)),
            default="{}",
        ),
        Key(name="currency", type=k.CURRENCY, default="USD"),
        *PROJECT_KEYS,
        Key(name="labels", type=LABELS, default="{}"),
        Key(name="budget", type=BUDGET, doc="recorded node-hours x price paid"),
        Key(name="redact", type=ListOf(item=k.TEXT, allow_empty=True), default="[]"),
        Key(name="defaults", type=DEFAULTS),
        Key(
            name="pools", type=MapOf(key=k.POOL_NAME, value=POOL, allow_empty=False), required=True
        ),
    ),
)

REGION_SETTINGS = Shape(
    name="region_settings",
    keys=(
        Key(name="vpc", type=k.TEXT),
        Key(name="subnets", type=TEXTS),
        Key(name="image", type=k.TEXT),
        Key(name="key", type=k.TEXT),
    ),
)
CLOUD_SETTINGS = Shape(
    name="cloud_settings",
    keys=(
        Key(name="profile", type=k.TEXT),
        Key(name="project", type=k.TEXT, doc="of Google Cloud"),
        Key(name="subscription", type=k.TEXT, doc="of Azure"),
        Key(name="resource_group", type=k.TEXT, doc="of Azure or Alibaba Cloud; used, not made"),
        Key(name="compartment", type=k.TEXT, doc="of Oracle Cloud, an OCID"),
        Key(name="service_account", type=k.TEXT, doc="of Google Cloud: who nodes act as"),
        Key(
            name="orchestration",
            type=k.ORCHESTRATION,
            doc="of Azure's scale sets; by default as the pool allows",
        ),
        Key(name="site", type=k.TEXT, doc="china or intl, where a cloud has both"),
        Key(name="regions", type=MapOf(key=k.TEXT, value=REGION_SETTINGS)),
    ),
)
BACKEND = OneOf(
    name="backend",
    doc="where states are kept: local, or {type: s3, ...} with the backend's own settings",
    scalar=k.BACKEND,
    mapping=MapOf(key=k.TEXT, value=k.TEXT, allow_empty=False),
)
_USERS_OWN = "A repository must not choose what runs: use --engine, or your own configuration."
ENGINE = Shape(
    name="engine",
    keys=(
        Key(name="path", type=k.TEXT),
        Key(name="mirrors", type=TEXTS),
        Key(name="plugin_cache", type=k.TEXT),
    ),
)
PROJECT = Shape(
    name="project",
    keys=(
        Key(name="target", type=k.TARGET, default="sandbox"),
        Key(name="policies", type=TEXTS),
        Key(name="store", type=k.TEXT, doc="a file, or postgresql://USER@HOST/DATABASE"),
        Key(name="backend", type=BACKEND, default="local"),
        Key(name="interval", type=k.DURATION, doc="how often a watch acts at least (5m)"),
        Key(name="heartbeat", type=k.TEXT, doc="fetched after runs; /fail after bad ones"),
        Key(name="engine", type=ENGINE, later=_USERS_OWN),
        Key(name="env", type=ListOf(item=k.ENV_NAME, allow_empty=True), default="[]"),
        Key(name="clouds", type=MapOf(key=choice_of("cloud", Cloud), value=CLOUD_SETTINGS)),
        *PROJECT_KEYS,
    ),
)

NAMED: dict[str, Type] = {"when": WHEN}


def resolve(type_: Type) -> Type:
    """The description that a reference stands for."""
    return NAMED[type_.name] if isinstance(type_, Ref) else type_
