"""Writes the package's price, shape and GPU tables from a folder of source tables.

    python tools/build_catalog.py SOURCE_FOLDER

Facts that no source table has (shapes of Google Cloud and Azure types, GPUs without a row in
the figures' table, the list of sources) stand in `tools/catalog/*.csv` and are merged in.
`docs/catalogue.md` says where each file's rows come from. The output depends on nothing but
the two folders, so running it again changes nothing.
"""

from __future__ import annotations

import csv
import json
import re
import sys
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

HERE = Path(__file__).parent / "catalog"
DATA = Path(__file__).parent.parent / "multicloud" / "catalog" / "data"

SHAPE_COLUMNS = (
    "cloud instance_type gpu gpus gpu_memory_gib vcpus memory_gib arch gpu_link fabric source"
)
GPU_COLUMNS = (
    "name family model aliases vendor memory_gib fp64 fp32 tf32 bf16 fp16 fp8 int8"
    " memory_bandwidth_gb_s link_gb_s tdp_w source"
)
OFFER_COLUMNS = (
    "cloud region zone instance_type capacity_type amount currency observed_at source site estimate"
)

# The stamp of rows whose document has no date: the earliest that is certain.
TENCENT_DATE = "2022-01-01"
ORACLE_DATE = "2026-01-01"
# The table has a generation that was first announced then.
TPU_DATE = "2024-10-30"
ADVISOR_DATE = "2025-06-28"

AWS_GPUS = {
    ("T4", "16.0"): "T4",
    ("T4g", "16.0"): "T4G",
    ("V100", "32.0"): "V100-32GB",
    ("A10G", "22.35"): "A10G",
    ("L4", "22.35"): "L4",
    ("L40S", "44.7"): "L40S",
    ("RTX PRO Server 6000", "96.0"): "RTXPRO6000",
    ("Radeon Pro V520", "8.0"): "V520",
    ("A100", "40.0"): "A100-40GB",
    ("A100", "80.0"): "A100-80GB",
    ("H100", "80.0"): "H100-SXM5",
    ("H200", "141.0"): "H200",
    ("B200", "179.06"): "B200",
    ("B300", "268.59"): "B300",
}
# A3 High machines with fewer than eight GPUs are sold as Spot or by Dynamic Workload Scheduler
# only: docs.cloud.google.com/compute/docs/accelerator-optimized-machines, A3 High.
GCP_SPOT_ONLY = frozenset({"a3-highgpu-1g", "a3-highgpu-2g", "a3-highgpu-4g"})
# Zones open to everybody: docs.cloud.google.com/tpu/docs/regions-zones.
TPU_ZONES = {
    ("v5litepod", "asia-southeast1"): "b",
    ("v5litepod", "europe-west4"): "b",
    ("v5litepod", "us-central1"): "a",
    ("v5litepod", "us-south1"): "a",
    ("v5litepod", "us-west1"): "c",
    ("v5litepod", "us-west4"): "a",
    ("v5p", "us-east5"): "a",
}
ORACLE_GPUS = {"H100": "H100-SXM5"}
ORACLE_ARM = frozenset({"GB200", "GB300"})
PCIE = frozenset(
    {"T4", "T4G", "A10", "A10G", "A16", "L4", "L40S", "P4", "P40", "P100", "K80", "M60"}
    | {"RTXPRO6000", "V520"}
)


class Gpu(NamedTuple):
    """How a row of the figures' table is named here; one row may give several GPUs."""

    row: str
    name: str
    family: str
    model: str
    aliases: str
    memory_gib: str
    source: str


GPUS = (
    Gpu("T4", "T4", "T4", "T4", "", "16", "nvidia-t4"),
    Gpu("V100-SXM2", "V100-16GB", "V100", "V100-16GB", "V100-16GB-SXM2", "16", "nvidia-v100"),
    Gpu("V100-SXM2", "V100-32GB", "V100", "V100-32GB", "V100-32GB-SXM2", "32", "nvidia-v100"),
    Gpu("V100-PCIe", "V100-16GB-PCIe", "V100", "V100-16GB", "", "16", "nvidia-v100"),
    Gpu("V100-PCIe", "V100-32GB-PCIe", "V100", "V100-32GB", "", "32", "nvidia-v100"),
    Gpu("V100S-PCIe", "V100S", "V100", "V100S", "", "32", "nvidia-v100"),
    Gpu("A10", "A10", "A10", "A10", "", "24", "nvidia-a10"),
    Gpu("A10G", "A10G", "A10G", "A10G", "", "24", "nvidia-a10g"),
    Gpu("L4", "L4", "L4", "L4", "", "24", "nvidia-l4"),
    Gpu("L40S", "L40S", "L40S", "L40S", "", "48", "nvidia-l40s"),
    Gpu("A100-40GB", "A100-40GB", "A100", "A100-40GB", "A100-40GB-SXM4", "40", "nvidia-a100"),
    Gpu("A100-80GB", "A100-80GB", "A100", "A100-80GB", "A100-80GB-SXM4", "80", "nvidia-a100"),
    Gpu("A100-40GB-PCIe", "A100-40GB-PCIe", "A100", "A100-40GB", "", "40", "nvidia-a100"),
    Gpu("A100-80GB-PCIe", "A100-80GB-PCIe", "A100", "A100-80GB", "", "80", "nvidia-a100"),
    Gpu("H100-SXM5", "H100-SXM5", "H100", "H100-80GB", "", "80", "nvidia-h100"),
    Gpu("H100-PCIe", "H100-PCIe", "H100", "H100-80GB", "", "80", "nvidia-h100-pcie"),
    Gpu("H200-SXM", "H200", "H200", "H200", "H200-SXM", "141", "nvidia-h200"),
    Gpu("B200-HGX", "B200", "B200", "B200", "B200-HGX", "180", "nvidia-b200"),
    Gpu("MI250X", "MI250X", "MI250X", "MI250X", "", "128", "amd-mi250x"),
    Gpu("MI300X", "MI300X", "MI300X", "MI300X", "", "192", "amd-mi300x"),
)
# The table has one column for both 16-bit formats; these have no bfloat16 (datasheets).
NO_BF16 = frozenset({"T4", "V100-SXM2", "V100-PCIe", "V100S-PCIe"})


def main(argv: list[str]) -> int:
    """Build every table; the exit code says whether the arguments could be used."""
    if len(argv) != 1 or not Path(argv[0]).is_dir():
        print(__doc__, file=sys.stderr)
        return 3
    source = Path(argv[0])
    shapes = dict(sorted(all_shapes(source).items()))
    offers = sorted(all_offers(source, shapes), key=lambda row: row[:5])
    write("gpus.csv", GPU_COLUMNS, all_gpus(source))
    write("shapes.csv", SHAPE_COLUMNS, shapes.values())
    write("offers.csv", OFFER_COLUMNS, offers)
    write("sources.csv", "key title document licence", list(rows_of(HERE / "sources.csv")))
    print(f"{len(offers)} rows of offers, {len(shapes)} shapes")
    return 0


def write(name: str, columns: str, rows: Iterable[Iterable[str]]) -> None:
    """One table of the package, with Unix line ends."""
    with (DATA / name).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns.split())
        writer.writerows(rows)


def rows_of(path: Path) -> Iterator[list[str]]:
    """The rows of a hand-written table, without its header."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.reader(file)
        next(rows)
        yield from rows


def records(path: Path) -> list[dict[str, str]]:
    """The rows of a source table, by column."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def number(text: str) -> str:
    """A figure's shortest plain text: `8.0` is `8`, a note behind it is left out; may be blank."""
    match = re.match(r"\d+(?:\.\d+)?", text)
    if match is None:
        return ""
    digits = match.group()
    return digits.rstrip("0").rstrip(".") if "." in digits else digits


# --- GPUs ----------------------------------------------------------------------------------


def all_gpus(source: Path) -> list[list[str]]:
    """GPU facts, by name."""
    figures = {row["gpu"]: row for row in records(source / "specs" / "gpu_specs.csv")}
    rows = [gpu_row(gpu, figures[gpu.row]) for gpu in GPUS]
    return sorted([*rows, *rows_of(HERE / "gpus.csv")])


def gpu_row(gpu: Gpu, figures: Mapping[str, str]) -> list[str]:
    """One GPU of the figures' table."""
    half = number(figures["fp16_bf16_dense_tflops"])
    return [
        gpu.name,
        gpu.family,
        gpu.model,
        gpu.aliases,
        "AMD" if gpu.name.startswith("MI") else "NVIDIA",
        gpu.memory_gib,
        number(figures["fp64_tflops"]),
        number(figures["fp32_tflops"]),
        number(figures["tf32_dense_tflops"]),
        "" if gpu.row in NO_BF16 else half,
        half,
        number(figures["fp8_dense_tflops"]),
        number(figures["int8_dense_tops"]),
        number(figures["mem_bw_gb_s"]),
        number(figures["link_gb_s_total"]),
        number(figures["tdp_w"]),
        gpu.source,
    ]


# --- Shapes --------------------------------------------------------------------------------


def all_shapes(source: Path) -> dict[tuple[str, str], list[str]]:
    """Every certain shape, by cloud and instance type; hand-written rows win."""
    found: dict[tuple[str, str], list[str]] = {}
    tables = (
        aws_shapes(source),
        tencent_shapes(source),
        alibaba_shapes(source),
        oracle_shapes(source),
        rows_of(HERE / "shapes.csv"),
    )
    for table in tables:
        found.update(((row[0], row[1]), row) for row in table)
    columns = SHAPE_COLUMNS.split()
    for cloud, name, fabric in rows_of(HERE / "fabrics.csv"):
        if (cloud, name) in found:
            found[cloud, name][columns.index("fabric")] = fabric
    # Memory per GPU as its vendor names it: clouds tell 24 GB as 24, 22.35 or 22.
    memory = {row[0]: Decimal(row[5]) for row in all_gpus(source)}
    for row in found.values():
        share = min(Fraction(row[columns.index("gpus")]), Fraction(1))
        part = memory[row[columns.index("gpu")]] * share.numerator / share.denominator
        row[columns.index("gpu_memory_gib")] = number(format(part, "f"))
    return found


def aws_shapes(source: Path) -> Iterator[list[str]]:
    """EC2 types with NVIDIA or AMD GPUs; other accelerators are no GPUs."""
    for row in records(source / "specs" / "aws_gpu_instance_types_moto521.csv"):
        share = Decimal(row["gpu_partition_size"])
        memory = row["gpu_mem_gib_each"]
        whole = next(
            (g for (n, m), g in AWS_GPUS.items() if n == row["gpu_name"] and m == memory), None
        )
        gpu = whole or (row["gpu_name"] if share < 1 else None)
        if gpu is None or row["gpu_vendor"] == "Habana":
            continue
        name = row["instance_type"]
        yield [
            "aws",
            name,
            gpu,
            number(row["gpu_count"]) if share == 1 else f"1/{int(1 / share)}",
            number(memory),
            number(row["vcpus"]),
            number(row["mem_gib"]),
            "arm64" if name.startswith("g5g.") else "x86_64",
            "pcie" if gpu in PCIE else "nvlink",
            "",
            "aws-ec2-types",
        ]


def tencent_shapes(source: Path) -> Iterator[list[str]]:
    """The types of Tencent's list, whole and shared GPUs."""
    for row in records(source / "tencent" / "tencent_gpu_list_prices_cn_2022.csv"):
        gpu, _, shared = row["gpu_model"].partition(" (")
        yield [
            "tencent",
            row["instance_type"],
            gpu,
            shared.split()[0] if shared else row["gpu_count"],
            row["gpu_mem_gib_each"],
            row["vcpus"],
            row["mem_gib"],
            "x86_64",
            "pcie" if gpu in PCIE else "nvlink",
            "",
            "tencent-types",
        ]


def alibaba_shapes(source: Path) -> Iterator[list[str]]:
    """The types of Alibaba's zone table that tell vCPUs, memory and whole GPUs."""
    for row in records(source / "alibaba" / "alibaba_gpu_catalog_2024-10-09.csv"):
        if not row["vcpus"] or not row["gpu_mem_gib_each"]:
            continue
        gpu = row["gpu_model"]
        yield [
            "alibaba",
            row["instance_type"],
            gpu,
            number(row["gpu_count"]),
            number(row["gpu_mem_gib_each"]),
            number(row["vcpus"]),
            number(row["mem_gib"]),
            "x86_64",
            "pcie" if gpu in PCIE else "nvlink",
            "",
            "alibaba-types",
        ]


def oracle_shapes(source: Path) -> Iterator[list[str]]:
    """The shapes of the OCI price list."""
    for row in records(source / "oci" / "oci_gpu_price_list_skypilot_v8.csv"):
        model = row["gpu_model"]
        gpu = ORACLE_GPUS.get(model, model)
        link = "xgmi" if gpu.startswith("MI") else "pcie" if gpu in PCIE else "nvlink"
        yield [
            "oracle",
            row["instance_type"],
            gpu,
            row["gpu_count"],
            row["gpu_mem_gib_each"],
            row["vcpus"],
            row["mem_gib"],
            "arm64" if gpu in ORACLE_ARM else "x86_64",
            link,
            "",
            "oracle-shapes",
        ]


# --- Offers --------------------------------------------------------------------------------


def all_offers(
    source: Path, shapes: Mapping[tuple[str, str], list[str]]
) -> Iterator[tuple[str, ...]]:
    """Every offer of a type with a certain shape; an amount may be blank, never 0.

    A price of 0 in a source says nothing, not even that the type can be had: it is left out.
    """
    tables = (
        aws_offers(source),
        gcp_offers(source),
        tpu_offers(source),
        azure_offers(source),
        tencent_offers(source),
        alibaba_offers(source),
        oracle_offers(source),
    )
    for table in tables:
        for row in table:
            is_zero = row[5] != "" and Decimal(row[5]) == 0
            if (row[0], row[3]) in shapes and not is_zero:
                yield row


def aws_offers(source: Path) -> Iterator[tuple[str, ...]]:
    """On-demand as listed; spot as on-demand less the advisor's saving, an estimate.

    Where the advisor knows a type in a region whose on-demand price is not listed, both offers
    stand without a price.
    """
    folder = source / "aws"
    listed: dict[tuple[str, str], str] = {}
    for row in records(folder / "aws_gpu_ondemand_latest_karpenter.csv"):
        region, name = row["region"], row["instance_type"]
        site = (
            "aws-cn" if region.startswith("cn-") else "aws-us-gov" if "-gov-" in region else "aws"
        )
        listed[region, name] = row["ondemand_per_h"]
        yield (
            *("aws", region, "", name, "on_demand", row["ondemand_per_h"], row["currency"]),
            *(row["as_of"], "aws-on-demand", site, ""),
        )
    for row in records(folder / "aws_spot_advisor_gpu_linux_2025-06-28.csv"):
        region, name = row["region"], row["instance_type"]
        price = listed.get((region, name))
        if price is None:
            for capacity in ("on_demand", "spot"):
                yield (
                    *("aws", region, "", name, capacity, "", "USD", ADVISOR_DATE, "aws-offered"),
                    *("aws", ""),
                )
            continue
        amount = Decimal(price) * (100 - Decimal(row["savings_pct"])) / 100
        yield (
            *("aws", region, "", name, "spot", format(amount.normalize(), "f"), "USD"),
            *(ADVISOR_DATE, "aws-spot-estimate", "aws", "1"),
        )


def gcp_offers(source: Path) -> Iterator[tuple[str, ...]]:
    """On-demand and spot per region."""
    for row in records(source / "gcp" / "gcp_gpu_machine_catalog_2026-08-03.csv"):
        prices = {"on_demand": row["ondemand_per_h"], "spot": row["spot_per_h"]}
        for capacity, price in prices.items():
            if price and not (capacity == "on_demand" and row["instance_type"] in GCP_SPOT_ONLY):
                yield (
                    *("gcp", row["region"], "", row["instance_type"], capacity, price, "USD"),
                    *(row["as_of"], "gcp-prices", "", ""),
                )


def tpu_offers(source: Path) -> Iterator[tuple[str, ...]]:
    """TPU slices on demand: the price of a chip times the slice's chips, where they stand.

    Spot slices are no offers: one that was taken back stays as a resource, and neither the
    engine nor the cloud makes it again.
    """
    table = json.loads((source / "gcp" / "gpuhunt_tpu_pricing.json").read_text())
    for generation, name in (("TPU v5e", "v5litepod"), ("TPU v5p", "v5p")):
        slices = {
            row[1]: Decimal(row[3])
            for row in rows_of(HERE / "shapes.csv")
            if row[0] == "gcp" and row[1].startswith(f"{name}-")
        }
        for region, prices in table[generation].items():
            zone = TPU_ZONES.get((name, region))
            per_chip = Decimal(str(prices["On Demand (USD)"]))
            for kind, chips in slices.items() if zone else ():
                yield (
                    "gcp",
                    region,
                    f"{region}-{zone}",
                    kind,
                    "on_demand",
                    number(format(per_chip * chips, "f")),
                    "USD",
                    TPU_DATE,
                    "gcp-tpu-prices",
                    "",
                    "",
                )


def azure_offers(source: Path) -> Iterator[tuple[str, ...]]:
    """On-demand per region."""
    for row in records(source / "azure" / "azure_gpu_ondemand_2026-06-18.csv"):
        yield (
            *("azure", row["region"], "", row["instance_type"], "on_demand"),
            *(number(row["ondemand_per_h"]), "USD", row["as_of"], "azure-prices", "", ""),
        )


def tencent_offers(source: Path) -> Iterator[tuple[str, ...]]:
    """The mainland list (higher column) for every mainland region, and the international one."""
    for row in records(source / "tencent" / "tencent_gpu_list_prices_cn_2022.csv"):
        mainland = row["region"] == "cn-mainland"
        yield (
            *("tencent", "*mainland" if mainland else row["region"], "", row["instance_type"]),
            *("on_demand", row["ondemand_per_h_high"], row["currency"], TENCENT_DATE),
            *(("tencent-china", "china") if mainland else ("tencent-intl", "intl")),
            "",
        )


def alibaba_offers(source: Path) -> Iterator[tuple[str, ...]]:
    """On-demand per region, the later table first; spot per zone."""
    folder = source / "alibaba"
    listed: set[tuple[str, str]] = set()
    zones = records(folder / "alibaba_gpu_catalog_2024-10-09.csv")
    later = records(folder / "alibaba_gpu_ondemand_2024-12-31.csv")
    for table, key in ((later, "alibaba-on-demand"), (zones, "alibaba-zones")):
        for row in table:
            place = row["region"], row["instance_type"]
            if row["ondemand_per_h"] and place not in listed:
                listed.add(place)
                yield (
                    *("alibaba", row["region"], "", row["instance_type"], "on_demand"),
                    *(row["ondemand_per_h"], "CNY", row["as_of"], key, "china", ""),
                )
    for row in zones:
        if row["spot_per_h"] and row["zone"]:
            yield (
                *("alibaba", row["region"], row["zone"], row["instance_type"], "spot"),
                *(row["spot_per_h"], "CNY", row["as_of"], "alibaba-zones", "china", ""),
            )


def oracle_offers(source: Path) -> Iterator[tuple[str, ...]]:
    """One price on demand for every commercial region.

    The list's preemptible prices are left out: pools cannot have preemptible nodes (ADR 10).
    """
    for row in records(source / "oci" / "oci_gpu_price_list_skypilot_v8.csv"):
        if row["ondemand_per_h"]:
            yield (
                *("oracle", "*commercial", "", row["instance_type"], "on_demand"),
                *(row["ondemand_per_h"], "USD", ORACLE_DATE, "oracle-prices", "", ""),
            )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
