"""Names stay in each cloud's grammar, never meet, and never leave their folder."""

from __future__ import annotations

import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multicloud.errors import InvalidInputError, RenderError
from multicloud.models.change import StackKey
from multicloud.models.offer import Cloud
from multicloud.render.names import (
    NameRule,
    check_labels,
    own_tags,
    resource_name,
    stack_key,
)
from multicloud.render.stack import MODULES
from tests.builders import a_slot

POOL = st.from_regex(r"[A-Za-z][A-Za-z0-9_-]{0,62}", fullmatch=True)
POLICY = st.from_regex(r"[a-z][a-z0-9-]{0,62}", fullmatch=True)
KEY = st.builds(
    StackKey,
    target=st.sampled_from(("sandbox", "live")),
    policy=POLICY,
    pool=POOL,
    cloud=st.just("aws"),
    region=st.sampled_from(("us-east-1", "eu-west-1")),
    digest=st.text("0123456789abcdef", min_size=8, max_size=8),
)
STRICT = NameRule(max_length=40, others="-", lower_case=True)
RULES = {
    **{str(cloud): module.names for cloud, module in MODULES.items()},
    "letters, digits and hyphens": STRICT,
}


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES.keys())
@given(key=KEY)
def test_names_are_in_the_grammar(rule: NameRule, key: StackKey) -> None:
    name = resource_name(key, rule)
    letters = string.ascii_lowercase if rule.lower_case else string.ascii_letters
    assert len(name) <= rule.max_length
    assert set(name) <= {*letters, *string.digits, *rule.others}
    assert name[0] in letters
    assert name[-1] in letters + string.digits
    assert key.digest in name


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES.keys())
@given(one=KEY, other=KEY)
def test_names_are_as_unlike_as_keys(rule: NameRule, one: StackKey, other: StackKey) -> None:
    assert (resource_name(one, rule) == resource_name(other, rule)) == (one == other)


def test_parts_cannot_run_into_each_other() -> None:
    def name(policy: str, pool: str) -> str:
        key = StackKey(
            target="live", policy=policy, pool=pool, cloud="aws", region="r", digest="0" * 8
        )
        return resource_name(key, STRICT)

    assert len({name("a-b", "c"), name("a", "b-c"), name("a-B", "c"), name("a_b", "c")}) == 4


def test_a_name_is_the_same_for_ever() -> None:
    key = StackKey(
        target="live",
        policy="daynight",
        pool="training",
        cloud="aws",
        region="us-east-1",
        digest="0123abcd",
    )
    assert resource_name(key, NameRule(max_length=63)) == "mc-daynight-training-0123abcd-ac1b1eed"


def test_long_names_are_shortened_fairly() -> None:
    key = StackKey(
        target="live",
        policy="p" * 60,
        pool="short",
        cloud="aws",
        region="us-east-1",
        digest="0123abcd",
    )
    name = resource_name(key, NameRule(max_length=55))
    assert len(name) == 55
    assert "-short-" in name


@pytest.mark.parametrize(
    "pool",
    ["../../etc/x", ".", "..", "/abs", "a/b", "CON", "con.x", "", "a\n", "-x", "nul", "a\\b"],
)
def test_b183_a_name_never_leaves_its_folder(pool: str) -> None:
    with pytest.raises(RenderError, match="cannot be part of a state's name"):
        stack_key(a_slot(), target="live", policy="p", pool=pool)
    with pytest.raises(RenderError, match="cannot be part of a state's name"):
        stack_key(a_slot(), target="live", policy=pool, pool="p")
    with pytest.raises(RenderError, match="cannot be part of a state's name"):
        stack_key(a_slot(region=pool), target="live", policy="p", pool="p")


def test_key_can_be_read_off_the_tags() -> None:
    slot = a_slot()
    key = stack_key(slot, target="live", policy="daynight", pool="training")
    assert str(key) == f"live/daynight/training/aws-us-east-1-{slot.digest}"
    assert own_tags(key) == {
        "managed-by": "multicloud",
        "policy": "daynight",
        "pool": "training",
        "place": slot.digest,
    }


@given(POLICY, POOL)
def test_keys_have_four_plain_parts(policy: str, pool: str) -> None:
    reserved = re.compile(r"(?i)(con|prn|aux|nul|(com|lpt)[0-9])\Z")
    if reserved.match(pool) or reserved.match(policy):
        return
    parts = str(stack_key(a_slot(), target="live", policy=policy, pool=pool)).split("/")
    assert len(parts) == 4
    assert not {"", ".", ".."} & set(parts)


@pytest.mark.parametrize(
    ("cloud", "name", "value", "fault"),
    [
        (Cloud.AWS, "pool", "x", "own tags"),
        (Cloud.AWS, "Managed-By", "x", "own tags"),
        (Cloud.AWS, "", "x", "1 to 128 characters"),
        (Cloud.AWS, "k" * 129, "x", "1 to 128 characters"),
        (Cloud.AWS, "k", "v" * 257, "257 characters"),
        (Cloud.AWS, "aws:x", "x", "belong to AWS"),
        (Cloud.AWS, "AWS:x", "x", "belong to AWS"),
        (Cloud.AWS, "k", "a\nb", "does not take"),
        (Cloud.TENCENT, "k" * 128, "x", "1 to 127 characters"),
        (Cloud.TENCENT, "k", "", "0 characters"),
        (Cloud.TENCENT, "qcs:x", "x", "belong to Tencent Cloud"),
        (Cloud.TENCENT, "project", "x", "belong to Tencent Cloud"),
        (Cloud.TENCENT, "k", " x", "does not take"),
        (Cloud.TENCENT, "k", "x ", "does not take"),
        (Cloud.TENCENT, "k", "${x}", "does not take"),
        (Cloud.ALIBABA, "k" * 65, "x", "1 to 64 characters"),
        (Cloud.ALIBABA, "k", "v" * 129, "129 characters"),
        (Cloud.ALIBABA, "Aliyun-x", "x", "belong to Alibaba Cloud"),
        (Cloud.ALIBABA, "ACS:x", "x", "belong to Alibaba Cloud"),
        (Cloud.ALIBABA, "k", "Acs:x", "does not take"),
        (Cloud.ALIBABA, "k", "see HTTPS://x", "does not take"),
        (Cloud.ALIBABA, "k", 'a "b"', "does not take"),
        (Cloud.ALIBABA, "k", "a\\b", "does not take"),
        (Cloud.ORACLE, "k" * 101, "x", "1 to 100 characters"),
        (Cloud.ORACLE, "k", "v" * 257, "257 characters"),
        (Cloud.ORACLE, "a.b", "x", "takes no '.' in a name"),
        (Cloud.ORACLE, "a b", "x", "takes no ' ' in a name"),
        (Cloud.ORACLE, "成本", "x", "ASCII only"),
    ],
)
def test_labels_that_a_cloud_refuses(cloud: Cloud, name: str, value: str, fault: str) -> None:
    module = MODULES[cloud]
    with pytest.raises(InvalidInputError, match=fault) as caught:
        check_labels(((name, value),), module.tags, cloud=module.title)
    assert repr(name) in str(caught.value)
    assert "labels:" in str(caught.value)


@pytest.mark.parametrize(
    ("cloud", "name", "value"),
    [
        (Cloud.AWS, "k" * 128, "v" * 256),
        (Cloud.AWS, "k", ""),
        (Cloud.AWS, '${file("/etc/hostname")}', "100%{if true}x%{endif}"),
        (Cloud.AWS, "训练", "🚀"),
        (Cloud.TENCENT, "k" * 127, "v" * 255),
        (Cloud.TENCENT, "成本 中心", "a+b-c=d._:/@()[],;><"),
        (Cloud.ALIBABA, "k" * 64, "v" * 128),
        (Cloud.ALIBABA, "成本", ""),
        (Cloud.ALIBABA, "${x}", "not acs: nor aliyun"),
        (Cloud.ORACLE, "k" * 100, "成本 中心"),
        (Cloud.ORACLE, "${x}", ""),
    ],
)
def test_labels_that_a_cloud_takes(cloud: Cloud, name: str, value: str) -> None:
    module = MODULES[cloud]
    assert check_labels(((name, value),), module.tags, cloud=module.title) == {name: value}


def test_too_many_labels() -> None:
    module = MODULES[Cloud.AWS]
    labels = tuple((f"k{n}", "v") for n in range(46))
    assert len(check_labels(labels[:45], module.tags, cloud="AWS")) == 45
    with pytest.raises(InvalidInputError, match="46 labels are more than the 45"):
        check_labels(labels, module.tags, cloud="AWS")
