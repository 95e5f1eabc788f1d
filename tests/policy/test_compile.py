from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from multicloud.errors import InvalidInputError, InvalidInputsError, Where
from multicloud.models.condition import AllOf, Always, Not, PriceCondition, TimeCondition
from multicloud.models.need import Interconnect, Spread
from multicloud.models.offer import CapacityType, Cloud
from multicloud.models.place import Place
from multicloud.models.pool import (
    CommitmentKind,
    Fixed,
    IfNone,
    Limits,
    Policy,
    Prefer,
)
from multicloud.models.project import Project
from multicloud.policy.compile import Source, compile_policies
from tests.builders import POLICY_HEAD, compiled, faults

DAYNIGHT = """\
version: 1
name: daynight
timezone: Asia/Shanghai
workdays: CN                                  # make-up weekend days count as workdays
fx: {CNY: 7.20}
limits: {spend: 400/h, new_nodes: 32, destroyed_nodes: 16}
pools:
  training:
    need: 2 x A100:8
    rules:
      - name: working-day
        when: workday 08:00-20:00
        place:
          - {in: [aws/us-east-1, aws/us-west-2], capacity: spot, max_price: 2.10/gpu-h}
          - {in: aws/us-east-1, capacity: on_demand}
      - name: cheap-night
        when: {price: {below: 1.00/gpu-h, until: 1.20/gpu-h}}
        place: {in: any, capacity: spot, max_price: 1.20/gpu-h}
    otherwise: off
    checkpoint: {every: 15m, command: /srv/train/save.sh, restore: 4m, size: 300Gi}
  inference:
    need: {gpu: T4, gpus: 4}
    rules:
      - name: night
        when: 20:00-08:00
        place: {in: [tencent/ap-guangzhou, tencent/ap-shanghai], capacity: [spot, on_demand]}
    otherwise: off
"""
ALWAYS = "place: {in: aws/us-east-1}"
CHEAP = "need: A100\notherwise: off\nrules: [{when: {price: "


def load(text: str, **options: object) -> Policy:
    (policy,) = compile_policies([Source("test.yaml", text)], **options)  # type: ignore[arg-type]  # forwarded as given
    return policy


def only(text: str) -> str:
    """The one fault of a policy."""
    (fault,) = faults(text)
    return fault


def pool_fault(pool: str, head: str = POLICY_HEAD) -> str:
    body = "".join(f"    {line}\n" for line in pool.strip().splitlines())
    return only(f"{head}pools:\n  p:\n{body}")


def test_the_day_night_policy() -> None:
    policy = load(DAYNIGHT)
    assert (policy.name, policy.timezone, policy.calendar) == ("daynight", "Asia/Shanghai", "CN")
    assert policy.fx == {"CNY": Decimal("7.20")}
    assert policy.limits == Limits(spend=Decimal(400), new_nodes=32, destroyed_nodes=16)
    training, inference = policy.pools
    assert training.need.text == "2x8 A100"
    assert inference.need.text == "4 T4"
    assert [rule.name for rule in training.rules] == ["working-day", "cheap-night"]
    assert training.otherwise is Fixed.OFF
    assert training.checkpoint is not None
    assert training.checkpoint.size_gib == 300
    day, night = training.rules
    assert isinstance(day.when, TimeCondition)
    assert day.when.windows[0].zone == "Asia/Shanghai"
    assert day.when_text == "workday 08:00-20:00"
    assert isinstance(night.when, PriceCondition)
    assert night.when.until == Decimal("1.20")
    first, second = day.outcome
    assert first.capacity == (CapacityType.SPOT,)  # type: ignore[union-attr]  # tiers here
    assert second.capacity == (CapacityType.ON_DEMAND,)  # type: ignore[union-attr]  # tiers here
    assert day.where == Where(file="test.yaml", line=11, column=9)


def test_place_alone_is_one_rule_that_always_holds() -> None:
    pool = compiled(f"need: A100:8\n{ALWAYS}")
    (rule,) = pool.rules
    assert (rule.name, rule.when, pool.otherwise) == ("place", Always(), None)


def test_false_is_off() -> None:
    assert compiled("need: A100\nrules: [{place: false}]").rules[0].outcome is Fixed.OFF
    assert compiled("need: A100\nplace: hold").rules[0].outcome is Fixed.HOLD


def test_b10_an_empty_window_names_pool_and_line() -> None:
    said = pool_fault(
        "need: A100\nrules: [{when: sat-sun 03:00-03:00, place: off}]\notherwise: off"
    )
    assert said.startswith("test.yaml:7:20 pools.p.rules[0].when:")
    assert "nothing, or 24 hours" in said
    assert "00:00-24:00" in said


P4D = "instance_types: p4d.24xlarge"
RES = "capacity: reserved, reservation"
RESERVATIONS = [
    (f"aws/us-east-1, {P4D}, reservation: {{id: cr-1}}", "goes with capacity: reserved"),
    (f"aws/us-east-1, {P4D}, capacity: [reserved, spot], reservation: {{id: cr-1}}", "mixes"),
    (f"aws, {P4D}, {RES}: {{id: cr-1}}", "in one region"),
    (f"aws/us-east-1, {RES}: {{id: cr-1}}", "one instance type"),
    (f"aws/us-east-1, {P4D}, max_price: 1/gpu-h, {RES}: {{id: cr-1}}", "paid for anyway"),
    (f"tencent/ap-guangzhou, {P4D}, {RES}: {{id: x}}", "cannot name a reservation"),
    (f"gcp/us-central1, {P4D}, {RES}: {{id: x, kind: weekly}}", "on_demand or capacity_block"),
    (
        (
            f"gcp/us-central1, {P4D}, {RES}: {{id: x, kind: capacity_block,"
            " from: 2026-12-01, until: 2026-12-02}"
        ),
        "sells no capacity blocks",
    ),
    (
        f"aws/us-east-1, {P4D}, {RES}: {{id: cr-1, kind: capacity_block, from: 2026-12-01}}",
        'a capacity block has "until"',
    ),
    (
        f"aws/us-east-1, {P4D}, {RES}: {{id: cr-1, from: 2026-12-02, until: 2026-12-01}}",
        "not after from",
    ),
]


@pytest.mark.parametrize(
    "window", ["24:00-08:00", "08:00-25:00", "12:60-13:00", "7-8", "-1:00-08:00", "08:00:61-09:00"]
)
def test_b14_bad_times_have_a_line(window: str) -> None:
    said = pool_fault(f"need: A100\nrules: [{{when: '{window}', place: off}}]\notherwise: off")
    assert said.startswith("test.yaml:7:20 pools.p.rules[0].when:")


def test_b25_an_unquoted_time_is_what_it_looks_like() -> None:
    plain = compiled("need: A100\nrules: [{when: 22:00-06:00, place: off}]\notherwise: off")
    quoted = compiled('need: A100\nrules: [{when: "22:00-06:00", place: off}]\notherwise: off')
    assert plain.rules == quoted.rules


def test_b30_what_holds_outside_must_be_said() -> None:
    rules = "need: A100\nrules: [{when: sat 00:00-24:00, place: off}]"
    said = pool_fault(rules)
    assert '"otherwise" is missing' in said
    assert "off, hold or tiers" in said
    assert compiled(f"{rules}\notherwise: hold").otherwise is Fixed.HOLD


def test_otherwise_may_be_left_out_after_a_rule_without_when() -> None:
    pool = compiled("need: A100\nrules: [{when: 08:00-20:00, place: hold}, {place: off}]")
    assert pool.otherwise is None
    assert [rule.name for rule in pool.rules] == ["rule-1", "rule-2"]


def test_b69_null_is_an_error_and_zero_a_size() -> None:
    said = pool_fault(f"need: {{gpu: A100, gpus: }}\n{ALWAYS}")
    assert "pools.p.need.gpus: is empty (null)" in said
    assert compiled(f"need: {{gpu: A100, gpus: 0}}\n{ALWAYS}").need.wishes[0].is_empty
    assert compiled(f"need: 0 x A100\n{ALWAYS}").need.wishes[0].is_empty
    for null in ("~", "null", ""):
        assert "is empty (null)" in pool_fault(f"need: {null}\n{ALWAYS}")


@pytest.mark.parametrize("word", ["stop", "terminate", "pause"])
def test_b82_no_cloud_stops_a_spot_group(word: str) -> None:
    rules = "rules: [{when: 08:00-20:00, place: {in: aws, capacity: spot}}]"
    said = pool_fault(f"need: A100\n{rules}\notherwise: {word}")
    assert "Write off: the nodes go, and the size is 0" in said


def test_b159_all_faults_at_once_with_places_and_near_misses() -> None:
    found = faults(
        "version: 1\n"
        "name: test\n"
        "time_zone: Europe/Berlin\n"
        "pools:\n"
        "  p:\n"
        "    need: 2 x H10O:8\n"
        "    rules:\n"
        "      - {wen: 08:00-20:00, place: {in: aws/us-est-1, capacity: spt}}\n"
        "    othrwise: off\n"
    )
    assert len(found) == 6
    assert found[0].startswith('test.yaml:3:1 time_zone: unknown key "time_zone". Did you mean')
    assert found[1].startswith('test.yaml:6:11 pools.p.need: unknown GPU "H10O".')
    assert 'Did you mean "H100"?' in found[1]
    assert 'unknown key "wen". Did you mean "when"?' in found[2]
    assert 'no region "us-est-1"' in found[3]
    assert 'Did you mean "spot"?' in found[4]
    assert 'unknown key "othrwise". Did you mean "otherwise"?' in found[5]


@pytest.mark.parametrize(
    "name",
    [
        "../../etc/x",
        ".",
        "..",
        "/abs",
        "a/b",
        "CON",
        "nul",
        "Com1",
        "lpt9",
        "1st",
        "",
        "a" * 64,
        "ä",
    ],
)
def test_b183_names_that_are_no_names(name: str) -> None:
    said = only(f'{POLICY_HEAD}pools:\n  "{name}": {{need: A100, place: {{in: aws}}}}\n')
    assert "cannot name a pool" in said
    assert said.startswith("test.yaml:5:3 ")


def test_names_are_unique_without_regard_to_case_over_all_policies() -> None:
    pools = "pools: {Train: {need: A100, place: off}, train: {need: A100, place: off}}"
    assert "has the name of another but for its case" in only(f"{POLICY_HEAD}{pools}")
    one = f"{POLICY_HEAD}pools: {{train: {{need: A100, place: off}}}}"
    two = one.replace("name: test", "name: other").replace("train", "TRAIN")
    with pytest.raises(InvalidInputsError) as error:
        compile_policies([Source("one.yaml", one), Source("two.yaml", two)])
    said = str(error.value)
    assert said.startswith("two.yaml:4:9 pools.TRAIN:")
    assert "one.yaml:4:9" in said


def test_two_policies_of_one_name_are_refused() -> None:
    one = f"{POLICY_HEAD}pools: {{a: {{need: A100, place: off}}}}"
    with pytest.raises(InvalidInputsError) as error:
        compile_policies([Source("one.yaml", one), Source("two.yaml", one.replace("a:", "b:", 1))])
    assert 'another policy is named "test"' in str(error.value)


def test_faults_of_all_files_in_their_order() -> None:
    with pytest.raises(InvalidInputsError) as error:
        compile_policies([Source("b.yaml", "a: ["), Source("a.yaml", "version: 2")])
    lines = str(error.value).splitlines()
    assert lines[0].startswith("b.yaml:")
    assert all(line.startswith("a.yaml:1") for line in lines[1:])
    assert len(lines) == 4


def test_duplicate_keys_name_both_places() -> None:
    said = only(f"{POLICY_HEAD}name: again\npools: {{p: {{need: A100, place: off}}}}")
    assert said.startswith('test.yaml:4:1 name: duplicate key "name".')
    assert "test.yaml:2:1" in said


@pytest.mark.parametrize(
    ("pool", "expected"),
    [
        ("need: A100", "has neither place nor rules"),
        ("need: A100\nplace: off\nrules: [{place: off}]", "has both place and rules"),
        ("need: A100\nplace: off\notherwise: off", "can never hold beside place"),
        ("need: A100\nrules: []", "is an empty list"),
        ("need: A100\nrules: [{name: x, place: off}, {name: x, place: off}]", "a second rule"),
        ("need: A100\nplace: {capacity: spot}", '"in" is missing'),
        ("need: A100\nplace: {in: []}", "is an empty list"),
        ("need: A100\nplace: aws", "Write {in: aws}"),
        ("need: A100\nplace: [off]", "is a text or number"),
        ("need: A100\nplace: {in: aws, min_discount: 20%}", "counts for spot only"),
        ("need: A100\nplace: {in: aws, max_gpus: 4}", "spread: places"),
        ("need: A100\nplace: {in: [aws, aws]}", "names something twice"),
        ("need: A100\nplace: {in: aws/us-east-1, capacity: reserved}", "needs a reservation"),
        *((f"need: A100:8\nplace: {{in: {text}}}", said) for text, said in RESERVATIONS),
        ("need: A100\nplace: {in: aws, max_price: 15 CNY/gpu-h}", "no rate is known for CNY"),
        ("need: A100\nplace: {in: aws, max_price: 0/gpu-h}", "not above 0"),
        ("need: A100\nrules: [{when: {}, place: off}]\notherwise: off", "empty condition"),
        (
            "need: A100\nrules: [{when: workday 08:00-20:00, place: off}]\notherwise: off",
            '"workday" needs a calendar',
        ),
        (
            "need: A100\nrules: [{when: {dates: eve}, place: off}]\notherwise: off",
            'no set "eve" stands under dates:',
        ),
        (
            "need: A100\nrules: [{when: {price: {}}, place: {in: aws}}]\notherwise: off",
            "below or above",
        ),
        (f"{CHEAP}{{below: 1/gpu-h, until: 0.9/gpu-h}}}}, {ALWAYS}}}]", "lies on the wrong side"),
        (f"{CHEAP}{{above: 1/gpu-h, until: 1.1/gpu-h}}}}, {ALWAYS}}}]", "lies on the wrong side"),
        (f"{CHEAP}{{below: 1/gpu-h, until: 9/node-h}}}}, {ALWAYS}}}]", "another unit"),
        (
            "need: A100\nrules: [{when: {price: {below: 1/gpu-h}}, place: hold}]\notherwise: off",
            "tiers of its rule, which has none",
        ),
        ("need: A100\nplace: off\nnode: {disk: 512Mi}", "no whole number of Gi"),
        ("need: A100\nplace: off\nnode: {startup: /etc/x}", "not a path relative"),
        ("need: A100\nplace: off\nnode: {startup: boot.sh}", "cannot be read here"),
        ("need: A100\nplace: off\nnode: {drain_command: 'x ${env:A}'}", "not replaced here"),
        ("need: A100\nplace: off\nlabels: {managed-by: me}", "is ours"),
        ("need: A100\nplace: off\nlabels: {a: }", "is empty (null)"),
        ("need: A100\nplace: off\nprefer: per_tflop", "Write {per_tflop: bf16}"),
        ("need: A100\nplace: off\nmoves: 3", "is a text or number"),
        ("need: [A100, H100]\nrules: [{need: {gpus: 4}, place: off}]", "a need that is a list"),
    ],
)
def test_impossible_combinations(pool: str, expected: str) -> None:
    assert expected in pool_fault(pool)


def test_a_window_needs_a_zone() -> None:
    pool = "need: A100\nrules: [{when: 08:00-20:00, place: off}]\notherwise: off"
    assert "has no time zone" in pool_fault(pool, head="version: 1\nname: test\n")
    zoned = pool.replace("20:00", "20:00 Asia/Tokyo")
    assert compiled(zoned, head="version: 1\nname: test\n").rules[0].when_text.endswith("Tokyo")


def test_a_wrong_zone_is_one_fault() -> None:
    pool = "need: A100\nrules: [{when: 08:00-20:00, place: off}]\notherwise: off"
    assert "unknown time zone" in pool_fault(pool, head="version: 1\nname: test\ntimezone: CST\n")


def test_conditions_of_all_kinds() -> None:
    pool = compiled(
        """
need: A100:8
rules:
  - when:
      time: [mon-fri 08:00-20:00, sat 10:00-12:00]
      skip: [closing, 2026-05-01]
      price: {above: 2 USD/node-h, of: {in: EU, capacity: spot, need: T4}}
      not: {any: [{dates: 2026-12-24..2026-12-26}, 12:00-13:00]}
    place: {in: aws}
  - {place: off}
""",
        head=POLICY_HEAD + "dates: {closing: 2026-12-19..2027-01-04}\n",
    )
    when = pool.rules[0].when
    assert isinstance(when, AllOf)
    clock, price, inverse = when.parts
    assert isinstance(clock, TimeCondition)
    assert len(clock.windows) == 2
    assert [day.first.isoformat() for day in clock.skip] == ["2026-12-19", "2026-05-01"]
    assert isinstance(price, PriceCondition)
    assert price.above
    assert price.until == Decimal("1.90")
    assert price.of is not None
    assert price.of.need is not None
    assert price.of.need.text == "1 T4"
    assert price.key == "price above 2 until 1.9 USD/node-h of EU spot for 1 T4"
    assert isinstance(inverse, Not)
    assert pool.rules[0].when_text == (
        "mon-fri 08:00-20:00, sat 10:00-12:00 but closing, 2026-05-01 and price above 2 USD/node-h "
        "and not ((on 2026-12-24..2026-12-26 or 12:00-13:00))"
    )


def test_keys_of_price_conditions_are_normal_forms() -> None:
    def key(price: str, place: str = "{in: aws, capacity: spot, max_price: 2/gpu-h}") -> str:
        pool = compiled(
            f"need: A100\nrules: [{{when: {{price: {price}}}, place: {place}}}, {{place: off}}]"
        )
        when = pool.rules[0].when
        assert isinstance(when, PriceCondition)
        return when.key

    one = key("{below: 1.00/gpu-h}")
    assert one == "price below 1 until 1.05 USD/gpu-h of aws spot for 1 A100"
    assert one == key("{until: 1.050 USD/gpu-h, below: 1 / gpu-h}")
    assert one == key("{below: 1.00/gpu-h}", "{in: aws, capacity: spot}")
    assert one != key("{below: 1.00/gpu-h}", "{in: gcp, capacity: spot}")


def test_a_rules_need_overrides_key_by_key() -> None:
    def need(pool_need: str, own: str) -> str:
        pool = compiled(f"need: {pool_need}\nrules: [{{need: {own}, place: off}}]")
        return pool.rules[0].need.text

    assert need("2 x A100:8", "{gpus: 8}") == "8 A100"
    assert need("2 x A100:8", "{gpu: H100}") == "2x8 H100"
    assert need("2 x A100:8", "4 x T4") == "4 T4"
    assert need("{gpu: A100, gpus: 8, min_gpus: 8}", "{gpus: 4}") == "4 A100"
    assert need("2 x A100:8", "{instance_type: p4d.24xlarge, nodes: 2}") == "2 p4d.24xlarge"
    assert need("{instance_type: p4d.24xlarge, nodes: 2}", "{nodes: 1}") == "1 p4d.24xlarge"
    assert need("{instance_type: p4d.24xlarge, nodes: 2}", "{gpu: T4, gpus: 2}") == "2 T4"
    assert need("[A100-80GB:8, H100:4]", "{gpu: T4, gpus: 2}") == "2 T4"
    assert need("2 x A100:8", "{gpus: 0}") == "0 A100"


def test_needs() -> None:
    def wish(need: str) -> tuple[str | None, object, object]:
        found = compiled(f"need: {need}\nplace: off").need.wishes[0]
        return (found.gpu, found.gpus, found.per_node)

    assert wish("A100:8") == ("A100", 8, 8)
    assert wish("2 x a100:8") == ("A100", 16, 8)
    assert wish("2x A100:8") == ("A100", 16, 8)
    assert wish("16 x A100") == ("A100", 16, None)
    assert wish("A100") == ("A100", 1, None)
    either = compiled("need: [A100-80GB:8, H100:4]\nplace: off").need
    assert [w.gpus for w in either.wishes] == [8, 4]
    assert either.text == "8 A100-80GB or 4 H100"
    full = compiled(
        "need: {gpu: any, gpus: 8, per_node: 4, gpu_memory: 24Gi, vcpus: 8, memory: 64Gi, "
        "interconnect: nvlink, arch: arm64, spread: zones, min_gpus: 4}\nplace: off"
    ).need
    assert (full.spread, full.min_gpus) == (Spread.ZONES, 4)
    assert full.wishes[0].interconnect is Interconnect.NVLINK
    assert full.wishes[0].arch == "arm64"
    assert full.text == "2x4 GPU of 24Gi"


@pytest.mark.parametrize(
    ("need", "expected"),
    [
        ("3", "is not a need"),
        ("A100:0", "nodes without GPUs"),
        ("8 A100", 'Did you mean "8 x A100"'),
        ("8 * A100", 'Did you mean "8 x A100"'),
        ("any", "does not say how much memory"),
        ("A10O", 'Did you mean "A100"'),
        ("[]", "is an empty list"),
        ("[{gpu: A100, gpus: 8}]", "is a map"),
        ("{}", "names neither gpu nor instance_type"),
        ("{gpu: A100}", '"gpus" is missing'),
        ("{gpu: A100, gpus: 8, instance_type: x, nodes: 1}", "has both gpu and instance_type"),
        ("{gpu: A100, gpus: 8, nodes: 1}", '"nodes" goes with instance_type'),
        ("{gpu: any, gpus: 8}", '"any" needs gpu_memory'),
        ("{gpu: A100, gpus: 1/8}", "share of a GPU"),
        ("{gpu: A100, gpus: 8, min_gpus: 9}", "more than gpus"),
        ("{gpu: A100, gpus: 8, gpu_memory: 141Gi}", "no A100 has 141Gi"),
        ("{gpu: A100, gpus: -1}", "not a whole number"),
        ("{instance_type: p4d.24xlarge}", '"nodes" is missing'),
        ("{instance_type: p4d.24xlarge, nodes: 1, spread: zones}", "does not go with"),
    ],
)
def test_needs_that_say_nothing(need: str, expected: str) -> None:
    assert expected in pool_fault(f"need: {need}\nplace: off")


def test_defaults_are_merged_key_by_key() -> None:
    pool = compiled(
        "need: A100\nplace: off\nmoves: {min_stay: 2h}\nnode: {ports: [22]}",
        head=POLICY_HEAD
        + "defaults: {moves: {min_saving: 20%, min_stay: 3h}, node: {ports: [80], disk: 200Gi}, "
        + "checkpoint: {every: 5m}, prefer: {per_tflop: bf16}, price_jump: 3}\n",
    )
    assert pool.moves.min_saving == Decimal("0.20")
    assert pool.moves.min_stay == timedelta(hours=2)
    assert pool.node.ports == (22,)
    assert pool.node.disk_gib == 200
    assert pool.checkpoint is not None
    assert pool.prefer is Prefer.PER_TFLOP
    assert pool.trust.jump == 3


def test_a_fault_in_the_defaults_counts_once() -> None:
    head = POLICY_HEAD + "defaults: {node: {startup: x.sh}}\n"
    text = head + "pools: {a: {need: A100, place: off}, b: {need: A100, place: off}}"
    assert "cannot be read here" in only(text)


def test_labels_of_the_pool_win_and_any_text_is_literal() -> None:
    pool = compiled(
        "need: A100\nplace: off\nlabels: {team: b, note: '${file(\"/etc/x\")} %{if}', on: yes}",
        head=POLICY_HEAD + "labels: {team: a, cost: '42'}\n",
    )
    assert pool.labels == (
        ("cost", "42"),
        ("note", '${file("/etc/x")} %{if}'),
        ("on", "yes"),
        ("team", "b"),
    )


def test_only_in_of_the_pool_lies_within_the_policys() -> None:
    inner = compiled(f"need: A100\n{ALWAYS}\nonly_in: aws/us-*", head=POLICY_HEAD + "only_in: US\n")
    assert inner.only_in == (Place(text="aws/us-*", cloud=Cloud.AWS, region="us-*"),)
    assert compiled(f"need: A100\n{ALWAYS}", head=POLICY_HEAD + "only_in: US\n").only_in
    said = pool_fault(
        "need: A100\nplace: off\nonly_in: [aws/us-east-1, EU]", head=POLICY_HEAD + "only_in: US\n"
    )
    assert '"EU" leaves the boundary of the policy' in said


def test_facts() -> None:
    policy = load(
        POLICY_HEAD
        + """
currency: CNY
fx: {CNY: 7.2, EUR: 0.9}
discounts:
  - {in: aws, off: 12%, capacity: on_demand, instance_types: p4d.24xlarge, until: 2027-01-31}
commitments:
  - {kind: reserved, in: aws/us-east-1, instance_type: p4d.24xlarge, nodes: 2, fee: 20 USD/h,
     from: 2026-01-01, until: 2026-12-31, ids: [r-1]}
limits: {spend: 240/day}
redact: [note, TOKEN]
pools: {p: {need: A100, place: {in: aws, max_price: 15/gpu-h}}}
"""
    )
    (discount,) = policy.discounts
    assert (discount.off, discount.capacity) == (Decimal("0.12"), (CapacityType.ON_DEMAND,))
    (commitment,) = policy.commitments
    assert commitment.kind is CommitmentKind.RESERVED
    assert commitment.start == datetime(2026, 1, 1, tzinfo=UTC)
    assert commitment.until == datetime(2027, 1, 1, tzinfo=UTC)
    assert (commitment.fee_per_hour, commitment.currency) == (Decimal(20), "USD")
    assert (policy.limits.spend, policy.limits.spend_currency) == (Decimal(10), "CNY")
    assert policy.redact == ("note", "TOKEN")
    tier = policy.pools[0].rules[0].outcome[0]
    assert tier.max_price is not None  # type: ignore[union-attr]  # a tier
    assert tier.max_price.currency == "CNY"  # type: ignore[union-attr]  # a tier


def test_facts_of_the_project_are_merged_in() -> None:
    project = Project(
        file="multicloud.yaml",
        fx={"CNY": Decimal(7)},
        only_in=(Place(text="US", country="US"),),
        limits=Limits(new_nodes=3),
    )
    text = f"{POLICY_HEAD}pools: {{p: {{need: A100, {ALWAYS}}}}}"
    policy = load(text, project=project)
    assert policy.fx == project.fx
    assert policy.limits == project.limits
    assert policy.pools[0].only_in == project.only_in
    assert policy.hash != load(text).hash
    both = f"{POLICY_HEAD}limits: {{new_nodes: 1}}\npools: {{p: {{need: A100, {ALWAYS}}}}}"
    with pytest.raises(
        InvalidInputsError, match=r"stands in the project file multicloud\.yaml too"
    ):
        load(both, project=project)


NODE = "node: {startup: scripts/boot.sh, ssh_key: keys/id.pub}"
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIA== me@here\n"


def with_files(files: dict[str, str], environ: dict[str, str], env: tuple[str, ...]) -> Policy:
    def read(policy: str, path: str) -> str:
        assert policy == "test.yaml"
        if path not in files:
            raise InvalidInputError(f'"{path}" is not there.')
        return files[path]

    text = f"{POLICY_HEAD}pools: {{p: {{need: A100, place: off, {NODE}}}}}"
    return load(text, read_file=read, environ=environ, project=Project(env=env))


def test_files_and_variables_of_nodes() -> None:
    boot = "#!/bin/sh\ncurl -H ${env:TOKEN} $HOME ${HOME}\n"
    policy = with_files(
        {"scripts/boot.sh": boot, "keys/id.pub": KEY}, {"TOKEN": "abc123"}, ("TOKEN",)
    )
    (pool,) = policy.pools
    assert pool.node.startup == "#!/bin/sh\ncurl -H abc123 $HOME ${HOME}\n"
    assert pool.node.ssh_key == KEY.strip()
    assert pool.secrets == ("abc123",)
    assert "abc123" not in policy.hash + policy.text


@pytest.mark.parametrize(
    ("files", "environ", "env", "expected"),
    [
        ({"keys/id.pub": KEY}, {}, (), "is not there"),
        ({"scripts/boot.sh": "${env:A}", "keys/id.pub": KEY}, {"A": "x"}, (), 'under "env"'),
        ({"scripts/boot.sh": "${env:A}", "keys/id.pub": KEY}, {}, ("A",), "is not set"),
        (
            {"scripts/boot.sh": "", "keys/id.pub": "-----BEGIN OPENSSH PRIVATE KEY-----"},
            {},
            (),
            "holds a private key",
        ),
        ({"scripts/boot.sh": "", "keys/id.pub": "hello"}, {}, (), "holds no public key"),
    ],
)
def test_files_that_will_not_do(
    files: dict[str, str], environ: dict[str, str], env: tuple[str, ...], expected: str
) -> None:
    with pytest.raises(InvalidInputsError, match=expected) as error:
        with_files(files, environ, env)
    assert str(error.value).startswith("test.yaml:4:")


def test_paths_of_files_stay_relative() -> None:
    for path in ("/etc/passwd", "~/x", "C:/x", "a\\\\b", "x/"):
        said = pool_fault(f'need: A100\nplace: off\nnode: {{startup: "{path}"}}')
        assert "not a path relative" in said


def test_the_hash_is_of_the_meaning() -> None:
    base = load(DAYNIGHT).hash
    commented = DAYNIGHT.replace("name: daynight", "name:   daynight   # a comment")
    reordered = DAYNIGHT.replace("need: {gpu: T4, gpus: 4}", 'need: {gpus: "4", gpu: T4}')
    listed = DAYNIGHT.replace(
        "[tencent/ap-guangzhou, tencent/ap-shanghai]", "[tencent/ap-shanghai, tencent/ap-guangzhou]"
    )
    assert load(commented).hash == base
    assert load(reordered).hash == base
    assert load(listed).hash != base
    assert load(DAYNIGHT.replace("2.10", "2.11")).hash != base


def test_loading_brings_in_no_heavy_library() -> None:
    code = (
        "import sys\n"
        "from multicloud.policy.compile import Source, compile_policies\n"
        "text = 'version: 1\\nname: x\\npools: {p: {need: A100, place: {in: aws}}}'\n"
        "compile_policies([Source('x.yaml', text)])\n"
        "heavy = {'pydantic', 'holidays', 'rich', 'grpc', 'click', 'socket', 'subprocess'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
        timeout=60,
    )
    assert done.stdout == "[]\n"


def test_a_rule_says_what_it_does_when_nothing_can_be_had() -> None:
    pool = compiled("need: A100\nrules: [{if_none: next, place: {in: aws}}, {place: hold}]")
    assert [rule.if_none for rule in pool.rules] == [IfNone.NEXT, IfNone.WAIT]


def test_pools_compare_by_meaning_not_by_place() -> None:
    (pool,) = load(f"{POLICY_HEAD}pools: {{p: {{need: A100, {ALWAYS}}}}}").pools
    (moved,) = load(f"{POLICY_HEAD}\n\npools: {{p: {{need: A100, {ALWAYS}}}}}").pools
    assert pool == moved
    assert pool.where != moved.where
    assert replace(pool, where=moved.where) == moved
