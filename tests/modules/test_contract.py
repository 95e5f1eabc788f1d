"""One contract for all modules, held against what each module's files say."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from multicloud.catalog.clouds import CLOUDS
from multicloud.models.offer import Cloud
from multicloud.render.contract import INPUTS, OUTPUTS, REQUIRED_VERSION
from multicloud.render.names import OWN_TAGS
from multicloud.render.stack import MODULES
from tests.modules.hcl import declared, tables

ROOT = Path(__file__).parents[2] / "terraform" / "modules"
SCHEMAS = Path(os.environ.get("MULTICLOUD_PROVIDER_SCHEMAS", "provider-schemas"))
ORDER = ("description", "type", "default", "nullable", "sensitive")
TABLES = (
    "<!-- inputs and outputs: a test holds these tables equal to variables.tf and outputs.tf -->"
)
REQUIRED = {
    "policy_name",
    "pool_name",
    "region",
    "instance_type",
    "gpu",
    "capacity_type",
}

each_module = pytest.mark.parametrize("cloud", MODULES)


def folder(cloud: Cloud) -> Path:
    return ROOT / MODULES[cloud].folder


def test_every_folder_is_a_module() -> None:
    assert {path.name for path in ROOT.iterdir()} == {m.folder for m in MODULES.values()}


@each_module
def test_skeleton(cloud: Cloud) -> None:
    names = {path.name for path in folder(cloud).iterdir()}
    assert names >= {
        "main.tf",
        "variables.tf",
        "outputs.tf",
        "versions.tf",
        "README.md",
        "tests",
        "examples",
    }
    assert (folder(cloud) / "examples" / "basic" / "main.tf").is_file()
    assert list((folder(cloud) / "tests").glob("*.tftest.hcl"))


@each_module
def test_inputs(cloud: Cloud) -> None:
    names = [item.name for item in declared(folder(cloud) / "variables.tf")]
    assert sorted(names) == sorted((*INPUTS, *MODULES[cloud].extras))


@each_module
def test_extras_and_most_inputs_are_optional(cloud: Cloud) -> None:
    found = {i.name for i in declared(folder(cloud) / "variables.tf") if i.default is None}
    assert found == REQUIRED


@each_module
def test_variables_are_described_and_in_order(cloud: Cloud) -> None:
    for item in declared(folder(cloud) / "variables.tf"):
        assert item.description.endswith("."), item.name
        assert item.type, item.name
        assert list(item.order) == sorted(item.order, key=ORDER.index), item.name
        assert item.nullable == (item.default == "null"), item.name


@each_module
def test_types_are_the_same_everywhere(cloud: Cloud) -> None:
    def types(one: Cloud) -> dict[str, str]:
        found = declared(folder(one) / "variables.tf")
        return {item.name: item.type for item in found if item.name in INPUTS}

    assert types(cloud) == types(Cloud.AWS)


@each_module
def test_outputs(cloud: Cloud) -> None:
    found = declared(folder(cloud) / "outputs.tf")
    assert tuple(item.name for item in found) == OUTPUTS
    assert all(item.description.endswith(".") for item in found)


@each_module
def test_readme_tables(cloud: Cloud, *, update_golden: bool) -> None:
    readme = folder(cloud) / "README.md"
    head, mark, found = readme.read_text().partition(TABLES)
    expected = "\n\n" + tables(
        declared(folder(cloud) / "variables.tf"), declared(folder(cloud) / "outputs.tf")
    )
    if update_golden:
        readme.write_text(head + TABLES + expected)
        found = expected
    assert mark
    assert found == expected


@each_module
def test_versions_are_those_of_the_program(cloud: Cloud) -> None:
    plugin = MODULES[cloud].plugin
    for path in (folder(cloud) / "versions.tf", folder(cloud) / "examples" / "basic" / "main.tf"):
        text = path.read_text()
        assert f'required_version = "{REQUIRED_VERSION}"' in text
        assert f'source  = "{plugin.source}"' in text
        assert f'version = "{plugin.versions}"' in text


@each_module
def test_modules_have_no_provider_and_no_backend(cloud: Cloud) -> None:
    for path in folder(cloud).glob("*.tf"):
        assert not re.search(r'^\s*(provider|backend) "', path.read_text(), re.MULTILINE)


@each_module
def test_every_refusal_is_tested(cloud: Cloud) -> None:
    inputs = declared(folder(cloud) / "variables.tf")
    refused = (folder(cloud) / "tests" / "refused.tftest.hcl").read_text()
    for item in inputs:
        times = refused.count(f"expect_failures = [var.{item.name}]")
        assert times >= item.validations, f"{item.name}: {item.validations} validations"
    preconditions = sum(p.read_text().count("precondition {") for p in folder(cloud).glob("*.tf"))
    own = len(re.findall(r"expect_failures = \[(?!var\.)", refused))
    assert own >= preconditions


@each_module
def test_own_tags_are_refused_as_labels(cloud: Cloud) -> None:
    text = (folder(cloud) / "variables.tf").read_text()
    assert "[" + ", ".join(f'"{tag}"' for tag in OWN_TAGS) + "]" in text


def test_zone_ids_of_aws_begin_as_the_module_says() -> None:
    short = {
        "north": "n",
        "south": "s",
        "east": "e",
        "west": "w",
        "central": "c",
        "gov": "g",
        "northeast": "ne",
        "northwest": "nw",
        "southeast": "se",
        "southwest": "sw",
    }
    text = (folder(Cloud.AWS) / "main.tf").read_text()
    for word, letters in short.items():
        assert re.search(rf'{word} += "{letters}"', text)
    for name, facts in CLOUDS[Cloud.AWS].regions.items():
        first, *words, number = name.split("-")
        start = first + "".join(short[word] for word in words) + number + "-"
        assert facts.zones
        assert all(zone.startswith(start) for zone in facts.zones), name


def test_zones_of_tencent_begin_with_their_region() -> None:
    for name, facts in CLOUDS[Cloud.TENCENT].regions.items():
        assert all(re.fullmatch(rf"{name}-[0-9]+", zone) for zone in facts.zones), name


@each_module
def test_arguments_are_in_the_real_schema(cloud: Cloud) -> None:
    """Every argument and block of a resource stands in the provider's own schema."""
    name = MODULES[cloud].plugin.name
    path = SCHEMAS / f"{name}.json"
    if not path.is_file():
        pytest.skip(f"needs {path} (MULTICLOUD_PROVIDER_SCHEMAS names the folder)")
    (schema,) = json.loads(path.read_text())["provider_schemas"].values()
    kinds = {"resource": schema["resource_schemas"], "data": schema["data_source_schemas"]}
    seen = 0
    for file in folder(cloud).glob("*.tf"):
        blocks = re.findall(
            rf'^(resource|data) "({name}_\w+)" "\w+" \{{\n(.*?)^\}}', file.read_text(), re.M | re.S
        )
        for kind, type_, body in blocks:
            if type_ not in kinds[kind]:
                continue  # the folder has a choice of each provider's types
            seen += 1
            _check(kinds[kind][type_]["block"], body, type_, indent=2)
    assert seen > 5


META = {"count", "for_each", "depends_on", "lifecycle", "content"}


def _check(block: Any, body: str, where: str, *, indent: int) -> None:
    pad = " " * indent
    pattern = rf'^{pad}(?:dynamic "(\w+)"|(\w+)) \{{\n(.*?)^{pad}\}}'
    for dynamic, plain, inner in re.findall(pattern, body, re.M | re.S):
        name = dynamic or plain
        if name == "lifecycle":
            continue
        nested = block["block_types"][name]["block"]
        if dynamic:
            for content in re.findall(
                rf"^{pad}  content \{{\n(.*?)^{pad}  \}}", inner, re.M | re.S
            ):
                _check(nested, content, f"{where}.{name}", indent=indent + 4)
        else:
            _check(nested, inner, f"{where}.{name}", indent=indent + 2)
    flat = re.sub(pattern, "", body, flags=re.M | re.S)
    for name in re.findall(rf"^{pad}(\w+) +=", flat, re.M):
        assert name in META or name in block["attributes"], f"{where} has no {name}"
        if name not in META:
            attribute = block["attributes"][name]
            assert attribute.get("optional") or attribute.get("required"), f"{where}.{name}"
