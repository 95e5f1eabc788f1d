from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from multicloud.catalog.market import Market, build_market
from multicloud.catalog.snapshot import Snapshot
from multicloud.models.offer import CapacityType
from multicloud.models.pool import PriceTrust
from multicloud.policy.compile import Source, compile_policies
from multicloud.policy.lint import LintWarning, lint
from tests.builders import NOON, POLICY_HEAD, an_offer
from tests.policy.test_compile import DAYNIGHT

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)
AWS = "place: {in: aws}"
DAY = f"{{when: 08:00-20:00, {AWS}}}"
HOLD, WEEKEND = "{place: hold}", "{when: fri 18:00-mon 06:00, place: hold}"
SPOT = "{in: aws, capacity: spot}"
BAND = "{below: 1/gpu-h, until: 1/gpu-h}"
LATER = "{in: US, not_in: [gcp, azure, oracle, tencent, alibaba], max_price: 1/gpu-h}"
MORNING, EVENING = f"{{when: 00:00-12:00, {AWS}}}", f"{{when: 12:00-24:00, {AWS}}}"


def warnings(
    pool: str, *, head: str = POLICY_HEAD, market: Market | None = None, now: datetime = NOW
) -> tuple[LintWarning, ...]:
    body = "".join(f"    {line}\n" for line in pool.strip().splitlines())
    (policy,) = compile_policies([Source("test.yaml", f"{head}pools:\n  p:\n{body}")])
    return lint(policy, now=now, market=market)


def codes(pool: str, *, head: str = POLICY_HEAD, market: Market | None = None) -> list[str]:
    return [warning.code for warning in warnings(pool, head=head, market=market)]


def rules(*lines: str, otherwise: str = "off") -> str:
    listed = "".join(f"- {line}\n" for line in lines)
    return f"need: A100\notherwise: {otherwise}\nrules:\n{listed}"


@pytest.mark.parametrize(
    "pool",
    [
        f"need: A100:8\n{AWS}",
        rules(f"{{when: mon-fri 08:00-20:00, {AWS}}}"),
        rules(DAY, f"{{when: 20:00-24:00, {AWS}}}"),
        rules(f"{{when: {{price: {{below: 1/gpu-h}}}}, {AWS}}}", DAY),
        rules(f"{{when: 08:00-20:00, if_none: next, {AWS}}}", "{when: 09:00-10:00, place: hold}"),
        rules(f"{{when: 02:00-02:30, {AWS}}}"),
        rules(f"{{when: {{dates: 2030-01-01}}, {AWS}}}"),
        rules(f"{{when: [08:00-12:00, 12:00-20:00], {AWS}}}"),
        "need: 4 x T4\nplace: [{in: aws, max_price: 1/gpu-h}, {in: aws}]",
    ],
)
def test_what_needs_no_warning(pool: str) -> None:
    assert codes(pool) == []


def test_a_warning_has_its_place() -> None:
    (warning,) = warnings(rules(f"{{name: late, when: 20:00-23:59, {AWS}}}"))
    assert str(warning.where) == "test.yaml:9:7"
    assert warning.pool == "p"
    assert "write 24:00" in warning.message


@pytest.mark.parametrize(
    ("pool", "code"),
    [
        (rules(f"{{when: 08:00-23:59, {AWS}}}"), "ends-23-59"),
        (rules(f"{{when: fri 08:00-sat 23:59, {AWS}}}"), "ends-23-59"),
        (rules(f"{{when: 02:15-02:45 Europe/Berlin, {AWS}}}"), "in-clock-gap"),
        (rules(f"{{when: sun 02:00-03:00 Europe/Berlin, {AWS}}}"), "in-clock-gap"),
        (rules(f"{{when: 08:00-20:00 GMT, {AWS}}}"), "fixed-zone"),
        (rules(f"{{when: 08:00-20:00 Etc/GMT+8, {AWS}}}"), "fixed-zone"),
        (rules(f"{{when: {{price: {BAND}}}, {AWS}}}"), "zero-price-band"),
        (f"need: 16 x A100\n{AWS}", "per-node"),
        (f"need: {{gpu: any, gpus: 16, gpu_memory: 24Gi}}\n{AWS}", "per-node"),
        ("need: A100\nplace: {in: aws, capacity: spot}", "spot-no-checkpoint"),
        (rules("{when: 08:00-20:00, place: hold}", otherwise=SPOT), "spot-no-checkpoint"),
        (rules(f"{{{AWS}}}", DAY, "{place: hold}"), "rule-unreachable"),
        (rules(DAY, "{when: 10:00-12:00, place: hold}"), "rule-unreachable"),
        (rules(f"{{when: [00:00-12:00, 12:00-24:00], {AWS}}}", HOLD), "rule-unreachable"),
        (
            rules(
                MORNING,
                EVENING,
                f"{{when: {{price: {{below: 1/gpu-h}}}}, {AWS}}}",
            ),
            "rule-unreachable",
        ),
        (rules(f"{{when: {{dates: 2025-12-24}}, {AWS}}}"), "rule-never"),
        (rules(f"{{when: {{all: [08:00-09:00, 10:00-11:00]}}, {AWS}}}"), "rule-never"),
        (rules(DAY, "{when: 18:00-22:00, place: hold}"), "rules-overlap"),
        (
            rules(f"{{when: mon-fri 08:00-20:00, {AWS}}}", WEEKEND),
            "rules-overlap",
        ),
        (rules(f"{{when: 08:00-12:00, {AWS}}}", f"{{when: 12:30-20:00, {AWS}}}"), "short-gap"),
        ("need: A100\nplace: {in: aws/us-east-1, not_in: aws}", "tier-unreachable"),
        ("need: A100\nplace: {in: EU}\nonly_in: US", "tier-unreachable"),
        ("need: A100\nplace: [{in: aws}, {in: aws/us-east-1}]", "tier-unreachable"),
        (
            f"need: A100\nplace: [{{in: aws, max_price: 2/gpu-h}}, {LATER}]",
            "tier-unreachable",
        ),
    ],
)  # fmt: skip
def test_what_is_seldom_meant(pool: str, code: str) -> None:
    assert set(codes(pool)) == {code}


def test_an_unreachable_rule_names_who_is_first() -> None:
    (warning,) = warnings(
        rules(
            f"{{name: day, when: 08:00-20:00, {AWS}}}",
            "{name: noon, when: 11:00-12:00, place: hold}",
        )
    )
    assert warning.message == (
        'rule "noon" is never reached: whenever it could hold, "day" holds first.'
    )


def test_an_overlap_names_its_first_instant() -> None:
    head = POLICY_HEAD.replace("UTC", "Asia/Shanghai")
    (warning,) = warnings(
        rules(
            f"{{name: a, when: 08:00-20:00, {AWS}}}", "{name: b, when: 18:00-22:00, place: hold}"
        ),
        head=head,
    )
    assert '"a" and "b" both hold at Mon 2026-05-04 20:00' not in warning.message
    assert '"a" and "b" both hold at Tue 2026-05-05 18:00' in warning.message


def test_the_zone_of_the_policy() -> None:
    head = POLICY_HEAD.replace("UTC", "EST")
    found = warnings(rules(DAY), head=head)
    assert {warning.code for warning in found} == {"fixed-zone"}
    assert {warning.pool for warning in found} == {"", "p"}


def test_expired_facts() -> None:
    head = POLICY_HEAD + (
        "discounts:\n- {in: aws, off: 10%, until: 2026-05-03}\n"
        "- {in: gcp, off: 10%, until: 2026-05-04}\n"
        "commitments: [{kind: reserved, in: aws, fee: 1/h, until: 2026-05-03}]\n"
    )
    assert codes(f"need: A100\n{AWS}", head=head) == ["expired", "expired"]


def test_calendars_without_make_up_days() -> None:
    head = POLICY_HEAD + "workdays: CN\n"
    pool = rules(f"{{when: workday 08:00-20:00, {AWS}}}")
    assert warnings(pool, head=head) == ()
    later = warnings(pool, head=head, now=datetime(2030, 12, 20, tzinfo=UTC))
    assert [warning.code for warning in later] == ["calendar", "calendar"]
    assert "2030" in later[0].message
    assert warnings(f"need: A100\n{AWS}", head=head, now=datetime(2031, 1, 1, tzinfo=UTC)) == ()


def a_market(on_demand: str = "16.00", spot: str = "8.00") -> Market:
    offers = (an_offer(on_demand), an_offer(spot, capacity=CapacityType.SPOT))
    return build_market(
        Snapshot(offers=offers, source="test"),
        now=NOON,
        fx={"CNY": Decimal(7)},
        discounts=(),
        trust=PriceTrust(),
    )


@pytest.mark.parametrize(
    ("cap", "expected"),
    [
        ("0.99/gpu-h", ["cap-too-low"]),
        ("1.00/gpu-h", []),
        ("7.99/node-h", ["cap-too-low"]),
        ("6.9 CNY/gpu-h", ["cap-too-low"]),
        ("7 CNY/gpu-h", []),
        ("2.00/gpu-h", []),
        ("2.01/gpu-h", ["cap-too-high"]),
    ],
)
def test_caps_beside_the_prices(cap: str, expected: list[str]) -> None:
    pool = (
        "need: A100:8\ncheckpoint: {every: 5m}\n"
        f"place: {{in: aws, capacity: spot, max_price: {cap}}}"
    )
    head = POLICY_HEAD + "fx: {CNY: 7}\n"
    assert codes(pool, head=head, market=a_market()) == expected
    assert codes(pool, head=head) == []


def test_caps_look_at_their_own_places_only() -> None:
    pool = "need: A100:8\nplace: {in: aws/us-west-2, max_price: 0.01/gpu-h}"
    assert codes(pool, market=a_market()) == []


def test_the_day_night_policy() -> None:
    (policy,) = compile_policies([Source("daynight.yaml", DAYNIGHT)])
    found = lint(policy, now=datetime(2026, 12, 1, 2, 12, tzinfo=UTC))
    assert [(warning.code, warning.pool) for warning in found] == [
        ("spot-no-checkpoint", "inference")
    ]
