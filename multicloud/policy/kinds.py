"""The kinds of scalars by the names that the schema gives them."""

from __future__ import annotations

import re
from enum import StrEnum

from multicloud.errors import InvalidInputError
from multicloud.models.gpu import Precision
from multicloud.models.need import Interconnect, Spread
from multicloud.models.placement import ReservationKind
from multicloud.models.pool import CommitmentKind, Fixed, IfNone, Prefer
from multicloud.models.project import Target
from multicloud.policy import need_text, places, scalars, window_text
from multicloud.policy.calendar import calendar_for
from multicloud.policy.near import did_you_mean
from multicloud.policy.scalars import Kind, ScalarError, choice_of


class Version(StrEnum):
    """Versions of the language."""

    ONE = "1"


class Arch(StrEnum):
    """Processor architectures of nodes."""

    X86_64 = "x86_64"
    ARM64 = "arm64"


class ClusterNetwork(StrEnum):
    """What joins the nodes of a pool beside the plain network."""

    AUTO = "auto"
    NONE = "none"
    REQUIRED = "required"


class AutoscalerMode(StrEnum):
    """Who decides a pool's size: we do, or somebody else within bounds that we keep."""

    MANAGED = "managed"
    EXTERNAL = "external"


class Orchestration(StrEnum):
    """How Azure's scale sets keep their machines."""

    UNIFORM = "uniform"
    FLEXIBLE = "flexible"


# Names that Windows gives to devices, whatever their case and ending: no folder can have them.
_DEVICES = frozenset(
    ["con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))]
)
_POOL_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,62}", re.ASCII)
_SLUG = re.compile(r"[a-z][a-z0-9_-]{0,62}", re.ASCII)
_RULE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._-]{0,62}", re.ASCII)
BACKENDS = ("local", "s3", "gcs", "azurerm", "cos", "oss", "http")
_OWN_LABELS = ("managed-by", "multicloud")


def parse_pool_name(text: str) -> str:
    """The name of a pool: it becomes part of file names, tags and resource names."""
    if not _POOL_NAME.fullmatch(text):
        raise ScalarError(
            f'"{text}" cannot name a pool.',
            expected="Expected a letter, then up to 62 letters, digits, _ or -.",
        )
    return _no_device(text, "a pool")


def parse_slug(text: str) -> str:
    """The name of a policy."""
    if not _SLUG.fullmatch(text):
        plain = re.sub(r"[^a-z0-9_-]+", "-", text.casefold()).strip("-_0123456789")[:63]
        raise ScalarError(
            f'"{text}" cannot name a policy.',
            expected="Expected a small letter, then up to 62 small letters, digits, _ or -.",
            hint=f'Did you mean "{plain}"?' if plain else "",
        )
    return _no_device(text, "a policy")


def _no_device(text: str, what: str) -> str:
    if text.casefold() in _DEVICES:
        raise ScalarError(
            f'"{text}" cannot name {what}: some systems keep it for a device.',
            expected="Expected another name.",
        )
    return text


def parse_rule_name(text: str) -> str:
    """The name of a rule, for people."""
    if not _RULE_NAME.fullmatch(text):
        raise ScalarError(
            f'"{text}" cannot name a rule.',
            expected="Expected up to 63 letters, digits, blanks, ., _ or -.",
        )
    return text


def parse_fixed(text: str) -> Fixed:
    """`off` or `hold`; `false` is read as `off`."""
    if text.casefold() in ("off", "false"):
        return Fixed.OFF
    if text == Fixed.HOLD:
        return Fixed.HOLD
    if text.casefold() in ("stop", "stopped", "terminate", "pause", "none", "no", "down"):
        hint = "Write off: the nodes go, and the size is 0. No cloud stops a group of spot nodes."
    else:
        try:
            places.parse_place(text)
            hint = f"Write {{in: {text}}}."
        except ScalarError:
            hint = did_you_mean(text, ["off", "hold"])
    raise ScalarError(
        f'"{text}" is no outcome.',
        expected="Expected off, hold, a tier {in: PLACE, ...} or a list of tiers.",
        hint=hint,
    )


def parse_prefer(text: str) -> Prefer:
    """`cheapest`; the other preference is a map."""
    if text == Prefer.CHEAPEST:
        return Prefer.CHEAPEST
    hint = "Write {per_tflop: bf16}." if text == Prefer.PER_TFLOP else ""
    raise ScalarError(
        f'unknown preference "{text}".',
        expected="Expected cheapest or {per_tflop: PRECISION}.",
        hint=hint,
    )


def parse_file(text: str) -> str:
    """A relative path with forward slashes."""
    bad = text.startswith(("/", "~")) or "\\" in text or ":" in text or not text.isprintable()
    if bad or not text.strip() or text.endswith("/"):
        raise ScalarError(
            f'"{text}" is not a path relative to the policy.',
            expected="Expected such as scripts/boot.sh, inside the project folder.",
        )
    return scalars.parse_text(text)


def parse_label_name(text: str) -> str:
    """A label's name; our own cannot be taken."""
    if not text:
        raise ScalarError("a label has no name.", expected="Expected a text.")
    if text.casefold().startswith(_OWN_LABELS):
        raise ScalarError(
            f'the label "{text}" is ours.',
            expected='Expected names that begin neither with "managed-by" nor with "multicloud".',
        )
    return text


def parse_rate_currency(text: str) -> str:
    """A currency that needs a rate: any but the dollar."""
    if scalars.parse_currency(text) == "USD":
        raise ScalarError("USD needs no rate.", expected="Rates are units per 1 USD.")
    return text


def parse_calendar(text: str) -> str:
    """A country, or a part of one, that the holidays library knows."""
    try:
        calendar_for(text)
    except InvalidInputError as error:
        raise ScalarError(error.summary, expected=error.detail, hint=error.hint) from error
    return text


def parse_backend(text: str) -> str:
    """A kind of state backend that we render."""
    if text in BACKENDS:
        return text
    raise ScalarError(
        f'unknown backend "{text}".',
        expected=f"Expected {', '.join(BACKENDS)}.",
        hint=did_you_mean(text, BACKENDS),
    )


def parse_env_name(text: str) -> str:
    """The name of an environment variable."""
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", text, re.ASCII):
        raise ScalarError(f'"{text}" cannot name an environment variable.')
    return text


_TIME = r"([01][0-9]|2[0-4]):[0-5][0-9]"
TEXT = Kind("text", scalars.parse_text)
LABEL = Kind("label", scalars.parse_label)
LABEL_NAME = Kind("label_name", parse_label_name)
NUMBER = Kind("positive_number", scalars.parse_positive, r"^[0-9]+(\.[0-9]+)?$")
FACTOR = Kind("factor", scalars.parse_factor, r"^[0-9]+(\.[0-9]+)?$", doc="above 1")
COUNT = Kind("count", scalars.parse_count, r"^[0-9]+$")
POSITIVE_COUNT = Kind("positive_count", scalars.parse_positive_count, r"^[0-9]+$")
GPUS = Kind("gpus", scalars.parse_gpus, r"^[0-9]+(\s*/\s*[0-9]+)?$", doc="8, or 1/4 with vgpu")
POSITIVE_GPUS = Kind("positive_gpus", scalars.parse_positive_gpus, GPUS.pattern, doc=GPUS.doc)
PORT = Kind("port", scalars.parse_port, r"^[0-9]+$")
BOOL = Kind("boolean", scalars.parse_bool, choices=("true", "false"))
DURATION = Kind("duration", scalars.parse_duration, r"^([0-9]+[dhms])+$", doc="15m, 1h30m, 2d")
SIZE = Kind("size", scalars.parse_size, r"^[0-9]+(\.[0-9]+)?\s*[MGT]i$", doc="200Gi, 2Ti")
SHARE = Kind("share", scalars.parse_share, r"^[0-9]+(\.[0-9]+)?\s*%$", doc="10%")
CURRENCY = Kind("currency", scalars.parse_currency, r"^[A-Z]{3}$", doc="ISO 4217")
RATE_CURRENCY = Kind("rate_currency", parse_rate_currency, r"^[A-Z]{3}$")
PRICE = Kind(
    "price", scalars.parse_price, r"/\s*(gpu|node)-h$", doc="AMOUNT [CUR]/gpu-h or /node-h"
)
SPEND = Kind(
    "spend", scalars.parse_spend, r"/\s*(h|day|month)$", doc="AMOUNT [CUR]/h, /day, /month"
)
ALLOWANCE = Kind("allowance", scalars.parse_allowance, SPEND.pattern, doc=SPEND.doc)
DATE = Kind("date", scalars.parse_date, r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$")
DATES = Kind("dates", window_text.parse_dates, doc="a date, FIRST..LAST, or a name from dates:")
DATE_RANGE = Kind("date_range", window_text.parse_date_range, doc="a date or FIRST..LAST")
MOMENT = Kind("moment", window_text.parse_moment, doc="YYYY-MM-DD [HH:MM [ZONE]]")
CALENDAR = Kind("calendar", parse_calendar, r"^[A-Z]{2}(-.+)?$", doc="CN, US-CA, ...")
BACKEND = Kind("backend_kind", parse_backend, choices=BACKENDS)
SET_NAME = Kind("set_name", window_text.parse_set_name, r"^[A-Za-z][A-Za-z0-9_-]{0,62}$")
ZONE = Kind("zone", window_text.parse_zone, doc="IANA name")
WINDOW = Kind("window", window_text.parse_window, _TIME, doc="[DAYS] HH:MM-HH:MM [ZONE]")
PLACE = Kind("place", places.parse_place, doc="any, CLOUD[/REGION[/ZONE]] with *, EU, US, CN, ...")
CAPACITY = Kind(
    "capacity",
    places.parse_capacity,
    choices=("on_demand", "spot", "reserved"),
    doc="how it is bought",
)
GPU = Kind("gpu", need_text.parse_gpu, doc="a name of the catalogue, or any")
SHORT_NEED = Kind("short_need", need_text.parse_short_need, doc="[N x] GPU[:PER_NODE]")
INTERCONNECT = choice_of("interconnect", Interconnect)
SPREAD = choice_of("spread", Spread)
ARCH = choice_of("arch", Arch)
CLUSTER_NETWORK = choice_of("cluster_network", ClusterNetwork)
POOL_NAME = Kind("pool_name", parse_pool_name, r"^[A-Za-z][A-Za-z0-9_-]{0,62}$")
SLUG = Kind("slug", parse_slug, r"^[a-z][a-z0-9_-]{0,62}$")
RULE_NAME = Kind("rule_name", parse_rule_name, r"^[A-Za-z0-9][A-Za-z0-9 ._-]{0,62}$")
FIXED = Kind("fixed", parse_fixed, choices=("off", "hold", "false"))
IF_NONE = choice_of("if_none", IfNone)
PREFER = Kind("preference", parse_prefer, choices=("cheapest",))
PRECISION = choice_of("precision", Precision)
FILE = Kind("file", parse_file, doc="a path relative to the policy, inside the project folder")
COMMITMENT_KIND = choice_of("commitment_kind", CommitmentKind)
VERSION = choice_of("version", Version)
AUTOSCALER_MODE = choice_of("autoscaler_mode", AutoscalerMode)
RESERVATION_KIND = choice_of("reservation_kind", ReservationKind)
TARGET = choice_of("target", Target)
ORCHESTRATION = choice_of("orchestration", Orchestration)
ENV_NAME = Kind("variable", parse_env_name, r"^[A-Za-z_][A-Za-z0-9_]*$")
