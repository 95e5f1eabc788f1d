"""Whatever is in a file: a policy, or faults with places. Never a traceback."""

from __future__ import annotations

import contextlib
import copy
import random
from datetime import UTC, datetime

import pytest

from multicloud.errors import InvalidInputsError
from multicloud.policy.compile import Source, compile_policies
from multicloud.policy.expand import expand
from multicloud.policy.lint import lint
from multicloud.policy.project import compile_project
from tests.policy.samples import BASE, EFFECTIVE, NOT_YET, set_key, text_of, with_key
from tests.policy.test_compile import DAYNIGHT
from tests.policy.test_project import WHOLE

NOW = datetime(2026, 12, 1, tzinfo=UTC)
SCALARS = [
    "~", "''", "null", "0", "-1", "1e999", "nan", "off", "on", "true", "{}", "[]", "[[]]", "{a: b}",
    "A100:8", "2 x A100:8", "any", "aws", "aws/*/*", "*/*", "EU/x", "10%", "999%", "15m", "9" * 60,
    "08:00-20:00", "20:00-08:00 Asia/Tokyo", "fri 20:00-mon 08:00", "holiday 00:00-24:00",
    "24:00-00:00", "1.00/gpu-h", "1 CNY/node-h", "400/h", "1/month", "2026-12-24",
    "2999-12-31..2999-12-31",
    "1970-01-01", "9999-12-31", "CN", "US-CA", "XX", "UTC", "CST", "../x", "CON", "${env:HOME}",
    "!!python/name:os.system x", "*alias", "&a [*a]", "'\\u0000'", "\"\\U0001F600\"", "é", "\ud800",
    "| \n x", ">-\n", "? x", "- x", "\"\\n\\e[31m\"", "\t", "'", "%", "@", "`", "#",
    "<<: {}", "1_000", "0x1F",
]  # fmt: skip
ROWS = (*EFFECTIVE, *NOT_YET)
KEYS = sorted({key for _, key, _, _ in ROWS})
TEXTS = [
    DAYNIGHT,
    WHOLE,
    *(text_of(with_key(path, key, value)) for _, key, path, value in ROWS),
]


def changed(text: str, rng: random.Random) -> str:
    """A valid text with a few things wrong, or right in another way."""
    for _ in range(rng.randint(1, 4)):
        match rng.randrange(6):
            case 0:
                at = rng.randrange(len(text) + 1)
                text = text[:at] + rng.choice(SCALARS) + text[at:]
            case 1:
                at = rng.randrange(len(text) + 1)
                text = text[:at] + text[at + rng.randint(1, 8) :]
            case 2:
                words = text.split(" ")
                words[rng.randrange(len(words))] = rng.choice(SCALARS)
                text = " ".join(words)
            case 3:
                words = text.split(": ")
                at = rng.randrange(len(words))
                words[at] = rng.choice(SCALARS) + ", " + words[at]
                text = ": ".join(words)
            case 4:
                text = text.replace(rng.choice(KEYS), rng.choice(KEYS), 1)
            case _:
                lines = text.splitlines()
                one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
                lines[one], lines[other] = lines[other], lines[one]
                text = "\n".join(lines)
        if not text:
            text = rng.choice(SCALARS)
    return text


def grown(rng: random.Random, depth: int = 0) -> str:
    """A structure made of known keys and of scalars, at random."""
    kind = rng.randrange(3 if depth < 6 else 1)
    if kind == 1:
        items = ", ".join(grown(rng, depth + 1) for _ in range(rng.randrange(4)))
        return f"[{items}]"
    if kind == 2:
        entries = ", ".join(
            f"{rng.choice(KEYS)}: {grown(rng, depth + 1)}" for _ in range(rng.randrange(5))
        )
        return f"{{{entries}}}"
    return rng.choice(SCALARS[:45])


def check(error: InvalidInputsError) -> None:
    """Every fault has a place and is one line of plain text."""
    assert error.errors
    for fault in error.errors:
        assert fault.where is not None
        assert str(fault).isprintable(), str(fault)


def mixed(rng: random.Random) -> str:
    """A valid structure in which a few keys have the values of other keys."""
    policy = copy.deepcopy(BASE)
    for _ in range(rng.randint(1, 4)):
        _, key, path, own = rng.choice(ROWS)
        value = rng.choice([own, rng.choice(ROWS)[3], rng.choice(SCALARS)])
        # A map on the way may have become a text by now.
        with contextlib.suppress(KeyError, TypeError, IndexError):
            set_key(policy, path, key, copy.deepcopy(value))
    return text_of(policy)


def judge(text: str) -> bool:
    """Whether it is a policy; anything but a policy or faults with a place is an error."""
    try:
        (policy,) = compile_policies([Source("fuzz.yaml", text)], read_file=lambda _, __: "x")
    except InvalidInputsError as error:
        check(error)
        return False
    for warning in lint(policy, now=NOW):
        assert warning.message.endswith((".", "?"))
    (again,) = compile_policies([Source("fuzz.yaml", expand(policy))], read_file=lambda _, __: "x")
    assert again.pools == policy.pools
    return True


def run(count: int, seed: int) -> int:
    rng = random.Random(seed)  # noqa: S311 - the same cases at every run
    valid = 0
    for number in range(count):
        if number % 2 == 0:
            text = mixed(rng)
        elif number % 5 == 0:
            pool = f"need: A100\nplace: {grown(rng)}\nrules: {grown(rng)}"
            text = f"version: 1\nname: x\npools:\n  p: {{{pool.replace(chr(10), ', ')}}}\n"
            text = rng.choice([text, grown(rng)])
        else:
            text = changed(rng.choice(TEXTS), rng)
        valid += judge(text)
        if number % 10 == 0:
            try:
                compile_project(Source("multicloud.yaml", changed(WHOLE, rng)))
            except InvalidInputsError as error:
                check(error)
    return valid


def test_500_fuzzed_policies() -> None:
    assert 10 < run(500, seed=1) < 490


@pytest.mark.slow
def test_10000_fuzzed_policies() -> None:
    assert 200 < run(10_000, seed=2) < 9_800
