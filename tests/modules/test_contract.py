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
from multicloud.render.contract import INPUTS, OUTPUTS, REQUIRED_VERSION, CloudModule
from multicloud.render.names import OWN_TAGS
from multicloud.render.stack import ALL_MODULES, MODULES
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

each_module = pytest.mark.parametrize("module", ALL_MODULES, ids=lambda module: module.folder)


def folder(module: CloudModule) -> Path:
    return ROOT / module.folder


def test_every_folder_is_a_module() -> None:
    assert {path.name for path in ROOT.iterdir()} == {module.folder for module in ALL_MODULES}


@each_module
def test_skeleton(module: CloudModule) -> None:
    names = {path.name for path in folder(module).iterdir()}
    assert names >= {
        "main.tf",
        "variables.tf",
        "outputs.tf",
        "versions.tf",
        "README.md",
        "tests",
        "examples",
    }
    assert (folder(module) / "examples" / "basic" / "main.tf").is_file()
    assert list((folder(module) / "tests").glob("*.tftest.hcl"))


@each_module
def test_inputs(module: CloudModule) -> None:
    names = [item.name for item in declared(folder(module) / "variables.tf")]
    assert sorted(names) == sorted((*INPUTS, *module.extras))


@each_module
def test_extras_and_most_inputs_are_optional(module: CloudModule) -> None:
    found = {i.name for i in declared(folder(module) / "variables.tf") if i.default is None}
    assert found == REQUIRED


@each_module
def test_variables_are_described_and_in_order(module: CloudModule) -> None:
    for item in declared(folder(module) / "variables.tf"):
        assert item.description.endswith("."), item.name
        assert item.type, item.name
        assert list(item.order) == sorted(item.order, key=ORDER.index), item.name
        assert item.nullable == (item.default == "null"), item.name


@each_module
def test_types_are_the_same_everywhere(module: CloudModule) -> None:
    def types(one: CloudModule) -> dict[str, str]:
        found = declared(folder(one) / "variables.tf")
        return {item.name: item.type for item in found if item.name in INPUTS}

    assert types(module) == types(MODULES[Cloud.AWS])


@each_module
def test_outputs(module: CloudModule) -> None:
    found = declared(folder(module) / "outputs.tf")
    assert tuple(item.name for item in found) == OUTPUTS
    assert all(item.description.endswith(".") for item in found)


@each_module
def test_readme_tables(module: CloudModule, *, update_golden: bool) -> None:
    readme = folder(module) / "README.md"
    head, mark, found = readme.read_text().partition(TABLES)
    expected = "\n\n" + tables(
        declared(folder(module) / "variables.tf"), declared(folder(module) / "outputs.tf")
    )
    if update_golden:
        readme.write_text(head + TABLES + expected)
        found = expected
    assert mark
    assert found == expected


@each_module
def test_versions_are_those_of_the_program(module: CloudModule) -> None:
    plugin = module.plugin
    for path in (folder(module) / "versions.tf", folder(module) / "examples" / "basic" / "main.tf"):
        text = path.read_text()
        assert f'required_version = "{REQUIRED_VERSION}"' in text
        assert f'source  = "{plugin.source}"' in text
        assert f'version = "{plugin.versions}"' in text


@each_module
def test_modules_have_no_provider_and_no_backend(module: CloudModule) -> None:
    for path in folder(module).glob("*.tf"):
        assert not re.search(r'^\s*(provider|backend) "', path.read_text(), re.MULTILINE)


@each_module
def test_every_refusal_is_tested(module: CloudModule) -> None:
    inputs = declared(folder(module) / "variables.tf")
    refused = (folder(module) / "tests" / "refused.tftest.hcl").read_text()
    for item in inputs:
        times = refused.count(f"expect_failures = [var.{item.name}]")
        assert times >= item.validations, f"{item.name}: {item.validations} validations"
    preconditions = sum(p.read_text().count("precondition {") for p in folder(module).glob("*.tf"))
    own = len(re.findall(r"expect_failures = \[(?!var\.)", refused))
    assert own >= preconditions


@each_module
def test_own_tags_are_refused_as_labels(module: CloudModule) -> None:
    text = (folder(module) / "variables.tf").read_text()
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
    text = (folder(MODULES[Cloud.AWS]) / "main.tf").read_text()
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
def test_arguments_are_in_the_real_schema(module: CloudModule) -> None:
    """Every argument and block of a resource stands in the provider's own schema."""
    name = module.plugin.name
    path = SCHEMAS / f"{name}.json"
    if not path.is_file():
        pytest.skip(f"needs {path} (MULTICLOUD_PROVIDER_SCHEMAS names the folder)")
    (schema,) = json.loads(path.read_text())["provider_schemas"].values()
    kinds = {"resource": schema["resource_schemas"], "data": schema["data_source_schemas"]}
    prefix = name.partition("-")[0]
    seen = 0
    for file in folder(module).glob("*.tf"):
        blocks = re.findall(
            rf'^(resource|data) "({prefix}_\w+)" "\w+" \{{\n(.*?)^\}}',
            file.read_text(),
            re.M | re.S,
        )
        for kind, type_, body in blocks:
            if type_ not in kinds[kind]:
                continue  # the folder has a choice of each provider's types
            seen += 1
            _check(kinds[kind][type_]["block"], body, type_, indent=2)
    assert seen > 3


META = {"provider", "count", "for_each", "depends_on", "lifecycle", "content"}


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
