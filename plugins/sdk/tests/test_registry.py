"""Plugins are found by entry points; a broken one takes no other with it."""

from importlib.metadata import EntryPoint
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


def test_interfaces_that_do_not_fit_are_told_before_anything_is_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "sdk_test_newer"
    place.mkdir()
    (place / "__init__.py").write_text("from weighhouse_sdk import of_a_newer_release")
    wanted = "sdk = { least = 2, most = 3 }\ndriver = { least = 4, most = 4 }"
    (place / "plugin.toml").write_text(f"unknown_today = 1\n[api]\n{wanted}\n")
    install(tmp_path, "newer", "sdk_test_newer:PLUGIN", "")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(PluginBroken) as caught:
        load_plugin("newer")
    assert caught.value.message == (
        "plugin `newer`: it works with version 2 to 3 of the SDK API, and this machine has 1; "
        "it works with version 4 of the driver API, and this machine has 1"
    )
    (place / "plugin.toml").write_text("[api]\nsdk = { least = 3, most = 2 }\n")
    with pytest.raises(PluginBroken, match=r"\[api\].*least"):
        load_plugin("newer")


def test_a_plugin_that_two_packages_bring_is_nobodys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "redis", "sdk_test_second:PLUGIN", "1 / 0")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(PluginBroken, match="plugin-redis, weighhouse-plugin-redis"):
        load_plugin("redis")


def test_whoever_is_not_admitted_is_not_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nobody(entry: EntryPoint) -> None:
        if entry.name == "refused":
            raise PluginBroken("not this one")

    mark = tmp_path / "imported"
    code = f"import pathlib; pathlib.Path({str(mark)!r}).touch()"
    install(tmp_path, "refused", "sdk_test_refused:PLUGIN", code)
    monkeypatch.syspath_prepend(str(tmp_path))
    _, broken = discover(nobody)
    assert broken["refused"].message == "not this one"
    assert not mark.exists()
    discover()
    assert mark.exists()
