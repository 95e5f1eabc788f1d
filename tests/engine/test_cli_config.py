"""Where providers may come from, in Terraform's own configuration."""

from __future__ import annotations

import pytest

from multicloud.engine.cli_config import ProviderSources, cli_config, sandbox_sources
from multicloud.errors import InvalidInputError


def test_the_registry_and_a_cache() -> None:
    assert cli_config(ProviderSources(plugin_cache="/cache")) == (
        "disable_checkpoint = true\n"
        'plugin_cache_dir = "/cache"\n'
        "provider_installation {\n"
        "  direct {}\n"
        "}\n"
    )


def test_mirrors_take_the_registrys_place() -> None:
    text = cli_config(ProviderSources(mirrors=("https://mirror.example/p", '/srv/a "b"\\')))
    assert 'network_mirror {\n    url = "https://mirror.example/p/"' in text
    assert 'filesystem_mirror {\n    path = "/srv/a \\"b\\"\\\\"' in text
    assert "direct" not in text


def test_the_sandbox_can_install_nothing() -> None:
    text = cli_config(sandbox_sources("/empty"))
    assert "direct" not in text
    assert 'path = "/empty"' in text


@pytest.mark.parametrize("path", ["/a/${x}", "/a\nb", "/a\x00"])
def test_paths_that_the_grammar_cannot_hold(path: str) -> None:
    with pytest.raises(InvalidInputError, match="cannot be written"):
        cli_config(ProviderSources(mirrors=(path,)))


def test_a_mirror_without_encryption_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="is not https"):
        cli_config(ProviderSources(mirrors=("http://mirror.example/",)))
