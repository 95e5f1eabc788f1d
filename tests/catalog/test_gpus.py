from __future__ import annotations

import pytest

from multicloud.catalog.gpus import gpu_facts, gpu_names, resolve_gpu


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("A100", {"A100-40GB", "A100-80GB", "A100-40GB-PCIe", "A100-80GB-PCIe"}),
        ("a100", {"A100-40GB", "A100-80GB", "A100-40GB-PCIe", "A100-80GB-PCIe"}),
        ("A100-80GB", {"A100-80GB", "A100-80GB-PCIe"}),
        ("A100-80GB-PCIe", {"A100-80GB-PCIe"}),
        ("A100-80GB-SXM4", {"A100-80GB"}),
        ("H100", {"H100-SXM5", "H100-PCIe", "H100-NVL"}),
        ("H100-80GB", {"H100-SXM5", "H100-PCIe"}),
        ("H100-SXM5", {"H100-SXM5"}),
        ("V100", {"V100-16GB", "V100-32GB", "V100-16GB-PCIe", "V100-32GB-PCIe", "V100S"}),
        ("V100-32GB", {"V100-32GB", "V100-32GB-PCIe"}),
        ("T4", {"T4"}),
        ("A10", {"A10"}),
        ("H10O", set()),
        ("", set()),
    ],
)
def test_names_mean_a_family_a_model_or_one_card(name: str, meant: set[str]) -> None:
    assert resolve_gpu(name) == meant


def test_any_means_every_gpu_and_no_tpu() -> None:
    tpus = {"TPU-v5e", "TPU-v5p"}
    assert resolve_gpu("any") == set(gpu_facts()) - tpus == resolve_gpu("ANY")
    assert {name for tpu in tpus for name in resolve_gpu(tpu.lower())} == tpus


def test_every_accepted_name_resolves_and_any_is_not_one() -> None:
    assert all(resolve_gpu(name) for name in gpu_names())
    assert "any" not in gpu_names()
    assert list(gpu_names()) == sorted(set(gpu_names()))


def test_unknown_figures_are_absent() -> None:
    facts = gpu_facts()["B300"]
    assert facts.tflops == {}
    assert facts.tdp_w is None
    assert facts.source
