from __future__ import annotations

from decimal import Decimal

import pytest

from multicloud.errors import InvalidInputsError
from multicloud.models.offer import Cloud
from multicloud.models.pool import Limits
from multicloud.models.project import Project, Target
from multicloud.policy.compile import Source
from multicloud.policy.project import compile_project

WHOLE = """\
target: live
policies: [policies/a.yaml, more/*.yaml]
backend: {type: s3, bucket: states, region: eu-central-1, encrypt: true}
env: [HF_TOKEN]
clouds:
  aws:
    profile: prod
    regions:
      us-east-1: {vpc: vpc-1, subnets: [subnet-1, subnet-2], image: ami-1, key: ops}
  tencent: {site: intl}
fx: {CNY: 7.2}
only_in: [US, EU]
limits: {spend: 100 CNY/h, new_nodes: 8}
discounts: [{in: aws, off: 10%}]
commitments:
  - {kind: prepaid, in: aws, fee: 7200 CNY/month, until: "2027-01-01 00:00 UTC"}
"""


def load(text: str) -> Project:
    return compile_project(Source("multicloud.yaml", text))


def refusal(text: str) -> str:
    with pytest.raises(InvalidInputsError) as error:
        load(text)
    return str(error.value)


def test_a_whole_project() -> None:
    project = load(WHOLE)
    assert project.file == "multicloud.yaml"
    assert project.target is Target.LIVE
    assert project.policies == ("policies/a.yaml", "more/*.yaml")
    assert project.backend.kind == "s3"
    assert project.backend.settings["encrypt"] == "true"
    assert project.env == ("HF_TOKEN",)
    aws = project.clouds[Cloud.AWS]
    assert aws.profile == "prod"
    assert aws.regions["us-east-1"].network == "vpc-1"
    assert aws.regions["us-east-1"].subnets == ("subnet-1", "subnet-2")
    assert project.site(Cloud.TENCENT) == "intl"
    assert project.fx == {"CNY": Decimal("7.2")}
    assert project.limits == Limits(spend=Decimal(100), spend_currency="CNY", new_nodes=8)
    assert len(project.only_in) == 2
    (commitment,) = project.commitments
    assert (commitment.fee_per_hour, commitment.currency) == (Decimal(10), "CNY")


def test_what_holds_without_keys() -> None:
    project = load("backend: local")
    assert project == Project(file="multicloud.yaml")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("engine: {path: /tmp/evil}", "A repository must not choose what runs"),
        ("interval: 0m", "is no time"),
        ("heartbeat: ftp://x", "is no address"),
        ("target: prod", "Expected sandbox or live"),
        ("polices: []", 'Did you mean "policies"?'),
        ("backend: gsc", 'Did you mean "gcs"?'),
        ("backend: {bucket: x}", '"type" is missing'),
        ("backend: {type: consul}", 'unknown backend "consul"'),
        ("backend: {type: s3, secret_key: x}", "is a credential"),
        ("backend: {type: http, password: x}", "is a credential"),
        ("clouds: {amazon: {}}", "unknown cloud"),
        ("clouds: {aws: {regions: {us-est-1: {}}}}", 'Did you mean "us-'),
        ("clouds: {tencent: {site: cn}}", "Expected china or intl"),
        ("clouds: {gcp: {site: china}}", "It has one only"),
        ("limits: {spend: 5 EUR/h}", "no rate is known for EUR"),
        ("env: [A-B]", "cannot name an environment variable"),
        ("commitments: [{kind: prepaid, in: aws, fee: 1/h, until: 2027-01-01}]", "no time zone"),
        ("target: [", "is not YAML"),
        ("", "is empty"),
        ("a", "is a text or number"),
    ],
)
def test_what_is_refused(text: str, expected: str) -> None:
    said = refusal(text)
    assert expected in said
    assert said.startswith("multicloud.yaml:")
