"""The scalars of the language, from text to value, one parser each (POLICY section 1).

Every parser is pure, takes the text as written and raises `ScalarError`. What needs to be known
from elsewhere (the policy's zone and currency, named dates) is left empty and filled by
`policy.compile`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING, Generic, TypeVar

from multicloud.models.pool import Period
from multicloud.models.quote import Price
from multicloud.policy.near import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable

T_co = TypeVar("T_co", covariant=True)
Enum_co = TypeVar("Enum_co", bound=StrEnum)

# No machine costs more per hour and no policy wants more nodes; longer numbers are slips.
_MAX_DIGITS = 12
_MAX_DURATION = timedelta(days=3660)
HOURS_A_MONTH = 720
"""Hours in the month of `/month` rates: 30 days, as in every monthly figure that is shown."""


class ScalarError(ValueError):
    """A text that is no such scalar: what is wrong, what was expected, what is near."""

    def __init__(self, summary: str, *, expected: str = "", hint: str = "") -> None:
        super().__init__(summary)
        self.summary = summary
        self.expected = expected
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Kind(Generic[T_co]):
    """A type of scalar: its name, its parser, and what an editor may know of it.

    `pattern` is a regular expression (of JSON Schema, hence ECMA) that no valid text misses;
    `choices` list all valid texts when there are few.
    """

    name: str
    parse: Callable[[str], T_co]
    pattern: str = ""
    choices: tuple[str, ...] = ()
    doc: str = ""


def choice_of(name: str, options: type[Enum_co], doc: str = "") -> Kind[Enum_co]:
    """A kind whose texts are the values of an enum, in their own case."""
    texts = tuple(option.value for option in options)

    def parse(text: str) -> Enum_co:
        if text in texts:
            return options(text)
        raise ScalarError(
            f'unknown {name.replace("_", " ")} "{text}".'
            if "_" not in name
            else f'unknown choice "{text}".',
            expected=f"Expected {' or '.join(texts)}.",
            hint=did_you_mean(text, texts),
        )

    return Kind(name, parse, choices=texts, doc=doc)


@dataclass(frozen=True, slots=True)
class Money:
    """An amount per hour; `currency` is "" where the text names none."""

    per_hour: Decimal
    currency: str


@dataclass(frozen=True, slots=True)
class Allowance:
    """An amount per period; `currency` is "" where the text names none."""

    amount: Decimal
    currency: str
    period: Period
    text: str


_NUMBER = re.compile(r"\d+(\.\d+)?", re.ASCII)
_DURATION = re.compile(r"(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?", re.ASCII)
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([A-Za-z]*)", re.ASCII)
_MONEY = re.compile(r"(?P<amount>[^\s/]+)(?:\s+(?P<currency>[^\s/]+))?\s*/\s*(?P<unit>\S+)")
_GIB = {"Mi": Decimal(1) / 1024, "Gi": Decimal(1), "Ti": Decimal(1024)}
_PRICE_UNITS = {"gpu-h": True, "node-h": False}
_SPEND_UNITS = {"h": 1, "day": 24, "month": HOURS_A_MONTH}
# ISO 4217: those in which clouds bill or companies count.
_CODES = (
    "AED ARS AUD BDT BGN BHD BRL CAD CHF CLP CNY COP CZK DKK DZD EGP EUR GBP HKD HUF IDR ILS INR "
    "ISK JOD JPY KES KRW KWD KZT LKR MAD MXN MYR NGN NOK NZD OMR PEN PHP PKR PLN QAR RON RSD RUB "
    "SAR SEK SGD THB TND TRY TWD UAH USD UYU UZS VND XAF XOF ZAR"
)
CURRENCIES = frozenset(_CODES.split())
_CURRENCY_HABITS = {"RMB": "CNY", "CNH": "CNY", "YUAN": "CNY", "$": "USD", "EURO": "EUR"}


def parse_number(text: str) -> Decimal:
    """A plain decimal number, 0 or above: no sign, exponent, comma or blank."""
    if not _NUMBER.fullmatch(text):
        hint = "Use a point, not a comma." if re.fullmatch(r"\d+,\d+", text) else ""
        raise ScalarError(f'"{text}" is not a number.', expected="Expected 2.10 or 4.", hint=hint)
    if len(text.replace(".", "")) > _MAX_DIGITS:
        raise ScalarError(f'"{text}" is too long a number.', expected="Expected up to 12 digits.")
    return Decimal(text)


def parse_positive(text: str) -> Decimal:
    """A plain decimal number above 0."""
    value = parse_number(text)
    if value == 0:
        raise ScalarError("0 is not allowed here.", expected="Expected a number above 0.")
    return value


def parse_factor(text: str) -> Decimal:
    """A factor above 1."""
    value = parse_number(text)
    if value <= 1:
        raise ScalarError(f'"{text}" is not above 1.', expected="Expected a factor such as 4.")
    return value


def parse_count(text: str) -> int:
    """A whole number, 0 or above."""
    if not re.fullmatch(r"\d+", text, re.ASCII):
        raise ScalarError(
            f'"{text}" is not a whole number.', expected="Expected 0, 1, 2, ... as plain digits."
        )
    if len(text) > _MAX_DIGITS // 2:
        raise ScalarError(f'"{text}" is too large.', expected="Expected up to 6 digits.")
    return int(text)


def parse_gpus(text: str) -> int | Fraction:
    """A whole number of GPUs, or a share of one as `1/4`."""
    match = re.fullmatch(r"(\d{1,3})\s*/\s*(\d{1,3})", text, re.ASCII)
    if match is None:
        return parse_count(text)
    if int(match[2]) == 0 or int(match[1]) == 0:
        raise ScalarError(f'"{text}" is no share.', expected="Expected such as 1/4.")
    share = Fraction(int(match[1]), int(match[2]))
    return int(share) if share.denominator == 1 else share


def parse_positive_gpus(text: str) -> int | Fraction:
    """The same, above 0."""
    value = parse_gpus(text)
    if value == 0:
        raise ScalarError("0 is not allowed here.", expected="Expected 1 or more.")
    return value


def parse_positive_count(text: str) -> int:
    """A whole number, 1 or above."""
    value = parse_count(text)
    if value == 0:
        raise ScalarError("0 is not allowed here.", expected="Expected 1 or more.")
    return value


def parse_port(text: str) -> int:
    """A TCP port."""
    value = parse_count(text)
    if not 1 <= value <= 65535:
        raise ScalarError(f"{value} is no port.", expected="Expected 1 to 65535.")
    return value


def parse_bool(text: str) -> bool:
    """`true` or `false`, as in YAML 1.2."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    meant = {"yes": "true", "on": "true", "1": "true", "no": "false", "off": "false", "0": "false"}
    near = meant.get(text.lower())
    raise ScalarError(
        f'"{text}" is neither true nor false.',
        expected="Expected true or false.",
        hint=f"Write {near}." if near else "",
    )


def parse_duration(text: str) -> timedelta:
    """`15m`, `1h30m`, `2d`: days, hours, minutes, seconds, in this order, each at most once."""
    match = _DURATION.fullmatch(text)
    if not match or not text:
        hint = f"Write {text}m for minutes." if text.isascii() and text.isdigit() else ""
        raise ScalarError(
            f'"{text}" is not a duration.', expected="Expected 15m, 1h30m or 2d.", hint=hint
        )
    numbers = [int(part[:_MAX_DIGITS]) if part else 0 for part in match.groups()]
    days, hours, minutes, seconds = numbers
    try:
        value = timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)
    except OverflowError:
        value = timedelta.max
    if value > _MAX_DURATION:
        raise ScalarError(f'"{text}" is too long.', expected="Expected at most ten years.")
    return value


def parse_size(text: str) -> Decimal:
    """`200Gi`, `2Ti`, `512Mi`: GiB."""
    match = _SIZE.fullmatch(text)
    if match is None or match.group(2) not in _GIB:
        number, unit = match.groups() if match else ("", "")
        raise ScalarError(
            f'"{text}" is not a size.',
            expected="Expected 200Gi or 2Ti (powers of 1024).",
            hint=_near_size(number, unit),
        )
    return parse_number(match.group(1)) * _GIB[match.group(2)]


def _near_size(number: str, unit: str) -> str:
    binary = {"": "Gi", "b": "", "m": "Mi", "mb": "Mi", "mib": "Mi", "g": "Gi", "gb": "Gi"}
    binary |= {"gib": "Gi", "gi": "Gi", "mi": "Mi", "ti": "Ti", "t": "Ti", "tb": "Ti", "tib": "Ti"}
    near = binary.get(unit.lower(), "")
    return f'Did you mean "{number}{near}"?' if number and near else ""


def parse_share(text: str) -> Decimal:
    """`10%` to 0.10; between 0 % and 100 %."""
    head, percent, tail = text.partition("%")
    if not percent or tail or not _NUMBER.fullmatch(head.strip()):
        hint = ""
        if _NUMBER.fullmatch(text) and len(text) <= _MAX_DIGITS:
            number = Decimal(text)
            hint = f'Did you mean "{(number * 100 if number < 1 else number).normalize():f}%"?'
        raise ScalarError(f'"{text}" is not a share.', expected="Expected 10%.", hint=hint)
    value = parse_number(head.strip()) / 100
    if value > 1:
        raise ScalarError(f'"{text}" is above 100 %.', expected="Expected 0% to 100%.")
    return value


def parse_currency(text: str) -> str:
    """An ISO 4217 code."""
    if text in CURRENCIES:
        return text
    near = _CURRENCY_HABITS.get(text.upper())
    raise ScalarError(
        f'unknown currency "{text}".',
        expected="Expected an ISO code such as USD.",
        hint=f'Did you mean "{near}"?' if near else did_you_mean(text, sorted(CURRENCIES)),
    )


def parse_price(text: str) -> Price:
    """`2.10/gpu-h`, `15 CNY/node-h`: above 0, and the unit is required."""
    expected = "Expected AMOUNT [CUR]/gpu-h or /node-h, as in 2.10/gpu-h."
    amount, currency, unit = _split_money(
        text, expected, 'per GPU: "{}/gpu-h", per node: "{}/node-h"'
    )
    if unit not in _PRICE_UNITS:
        near = "gpu-h" if "gpu" in unit.lower() else "node-h" if "node" in unit.lower() else ""
        hint = f'Did you mean "/{near}"?' if near else "Say per GPU (/gpu-h) or per node (/node-h)."
        raise ScalarError(f'unknown unit "/{unit}" in "{text}".', expected=expected, hint=hint)
    if amount == 0:
        raise ScalarError(f'"{text}" is not above 0.', expected=expected)
    per_gpu = _PRICE_UNITS[unit]
    return Price(amount=amount, currency=currency, per_gpu=per_gpu, text=" ".join(text.split()))


def parse_spend(text: str) -> Money:
    """`400/h`, `9600/day`, `120000 CNY/month` as an amount per hour; a month counts 720 hours."""
    expected = "Expected AMOUNT [CUR]/h, /day or /month, as in 400/h."
    amount, currency, unit = _split_money(text, expected, 'per hour: "{}/h"')
    if unit not in _SPEND_UNITS:
        near = {"hour": "h", "hr": "h", "d": "day", "mo": "month", "m": "month"}.get(unit.lower())
        hint = f'Did you mean "/{near}"?' if near else ""
        raise ScalarError(f'unknown unit "/{unit}" in "{text}".', expected=expected, hint=hint)
    return Money(amount / _SPEND_UNITS[unit], currency)


def parse_allowance(text: str) -> Allowance:
    """`120000/month` as the amount of one period."""
    expected = "Expected AMOUNT [CUR]/month, /day or /h, as in 120000/month."
    amount, currency, unit = _split_money(text, expected, 'per month: "{}/month"')
    if unit not in set(Period):
        hint = did_you_mean(unit, tuple(Period))
        raise ScalarError(f'unknown unit "/{unit}" in "{text}".', expected=expected, hint=hint)
    if not amount:
        raise ScalarError(f'"{text}" is not above 0.', expected=expected)
    return Allowance(amount, currency, Period(unit), " ".join(text.split()))


def _split_money(text: str, expected: str, how: str) -> tuple[Decimal, str, str]:
    match = _MONEY.fullmatch(text)
    if match is None:
        bare = bool(_NUMBER.fullmatch(text))
        wrong = f'"{text}" has no unit.' if bare else f'"{text}" is not an amount of money.'
        hint = f"Write {how.replace('{}', text)}." if bare else ""
        raise ScalarError(wrong, expected=expected, hint=hint)
    currency = match["currency"]
    amount = match["amount"]
    if not _NUMBER.fullmatch(amount):
        hint = "Use a point, not a comma." if re.fullmatch(r"\d+,\d+", amount) else ""
        if amount[0] in "$€¥£":
            hint = "Write the currency as a code behind the amount: 15 CNY/gpu-h."
        raise ScalarError(f'"{amount}" is not an amount above 0.', expected=expected, hint=hint)
    return parse_number(amount), parse_currency(currency) if currency else "", match["unit"]


def parse_date(text: str) -> date:
    """`2026-12-24`."""
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", text, re.ASCII):
        raise ScalarError(f'"{text}" is not a date.', expected="Expected YYYY-MM-DD.")
    try:
        found = date.fromisoformat(text)
    except ValueError as error:
        raise ScalarError(f'"{text}" is no day of the calendar.', expected="") from error
    if not 1970 <= found.year <= 2999:
        raise ScalarError(f'"{text}" is too far away.', expected="Expected 1970 to 2999.")
    return found


def parse_text(text: str) -> str:
    """Any text that is not empty; `${env:...}` is refused where nothing would replace it."""
    if not text.strip():
        raise ScalarError("is empty.", expected="Expected a text.")
    if "${env:" in text:
        raise ScalarError(
            '"${env:...}" is not replaced here.',
            expected="It works inside the file that node.startup names.",
        )
    return text


def parse_label(text: str) -> str:
    """Any text, also an empty one."""
    return text
