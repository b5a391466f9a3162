"""Plugins are found by entry points; a broken one takes no other with it."""

from importlib.resources import files
from pathlib import Path

import pytest
from weighhouse_sdk.errors import PluginBroken, PluginMissing
from weighhouse_sdk.registry import discover, installed_ids, load_plugin, packaged_manifest


def install(place: Path, plugin_id: str, value: str, code: str) -> None:
    """A distribution as pip leaves it behind."""
    info = place / f"plugin_{plugin_id}-1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: plugin-{plugin_id}\nVersion: 1\n", encoding="utf-8"
    )
    (info / "entry_points.txt").write_text(
        f"[weighhouse.plugins]\n{plugin_id} = {value}\n", encoding="utf-8"
    )
    (place / f"{value.partition(':')[0]}.py").write_text(code, encoding="utf-8")


def test_installed_plugins_are_found() -> None:
    plugins, _ = discover()
    assert {"redis", "memcached", "rocksdb"} <= set(plugins)
    for plugin_id, plugin in plugins.items():
        assert plugin.manifest.id == plugin_id
        assert plugin.manifest.documentation.startswith("# ")


@pytest.mark.parametrize(
    ("value", "code", "message"),
    [
        ("sdk_test_crashes:PLUGIN", "1 / 0", "cannot be imported: ZeroDivisionError"),
        ("sdk_test_nothing:PLUGIN", "", "cannot be imported: AttributeError"),
        ("sdk_test_number:PLUGIN", "PLUGIN = 7", "is not a Plugin"),
        (
            "sdk_test_liar:PLUGIN",
            "from weighhouse_plugin_redis import PLUGIN",
            "its manifest says `redis`",
        ),
        (
            "sdk_test_unpacked:PLUGIN",
            "import weighhouse_sdk.registry as r; r.packaged_manifest('weighhouse_sdk')",
            r"plugin\.toml cannot be used",
        ),
    ],
)
def test_broken_plugins_are_told_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str, code: str, message: str
) -> None:
    install(tmp_path, "broken", value, code)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert "broken" in installed_ids()
    with pytest.raises(PluginBroken, match=message):
        load_plugin("broken")
    plugins, broken = discover()
    assert set(broken) == {"broken"}
    assert "redis" in plugins


def test_a_manifest_beyond_the_vocabulary_is_told_with_its_field(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "sdk_test_strange"
    place.mkdir()
    (place / "__init__.py").write_text(
        "import weighhouse_sdk.registry as r; r.packaged_manifest('sdk_test_strange')",
        encoding="utf-8",
    )
    whole = (files("weighhouse_plugin_redis") / "plugin.toml").read_text(encoding="utf-8")
    (place / "plugin.toml").write_text(
        f'{whole}\n[parameters.properties.mode]\n"$ref" = "file:///etc/passwd"\n', encoding="utf-8"
    )
    install(tmp_path, "strange", "sdk_test_strange:PLUGIN", "")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(PluginBroken, match=r"parameters\.properties\.mode: `\$ref`") as caught:
        load_plugin("strange")
    assert "docs/plugins/manifest.md" in caught.value.hint
    plugins, broken = discover()
    assert set(broken) == {"strange"}
    assert "redis" in plugins


def test_missing_plugin_is_named_with_those_there_are() -> None:
    with pytest.raises(
        PluginMissing, match=r"`nothing` is installed; there are: .*redis"
    ) as caught:
        load_plugin("nothing")
    assert caught.value.hint == "pip install weighhouse-plugin-nothing"


def test_manifest_of_a_package_that_has_none() -> None:
    with pytest.raises(PluginBroken):
        packaged_manifest("weighhouse_sdk")
