"""Plugins of the agent's release are loaded, and of others those whose bytes the policy names."""

import hashlib
import json
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from weighhouse_agent.machine.policy import Policy, PolicyFile, PolicyRefused
from weighhouse_agent.machine.third_parties import check_origin
from weighhouse_sdk.registry import entry_of, package_of
from weighhouse_sdk.wheels.digests import digest_installed

NAME = "agent_test_other"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a plugin of others lies, as an installer leaves it."""
    site = tmp_path / "site"
    write(site, f"{NAME}/__init__.py", "PLUGIN = None\n")
    write(site, f"plugin_{NAME}-1.dist-info/METADATA", f"Name: plugin-{NAME}\nVersion: 1\n")
    entry = f"[weighhouse.plugins]\n{NAME} = {NAME}:PLUGIN\n"
    write(site, f"plugin_{NAME}-1.dist-info/entry_points.txt", entry)
    monkeypatch.syspath_prepend(str(site))
    return site


def write(site: Path, name: str, text: str) -> Path:
    """A file, on record."""
    path, about = site / name, site / f"plugin_{NAME}-1.dist-info"
    path.parent.mkdir(parents=True, exist_ok=True)
    about.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    with (about / "RECORD").open("a", encoding="utf-8") as record:
        record.write(f"{name},,\n")
    return path


def entry() -> EntryPoint:
    return entry_of(NAME)


def digest() -> str:
    found, package = entry().dist, package_of(entry())
    assert found is not None
    assert package is not None
    return digest_installed(found, package).digest


def named(*digests: str) -> Policy:
    return Policy(third_party=tuple(f"{NAME}:{each}" for each in digests))


def test_what_was_installed_with_the_agent_needs_no_policy(tmp_path: Path) -> None:
    file = tmp_path / "policy.toml"
    file.write_text("third_party = 1")
    check_origin(PolicyFile(file).read, entry_of("redis"))


def test_others_are_named_by_their_bytes(place: Path) -> None:
    with pytest.raises(PolicyRefused, match=f"`{NAME}` 1 .* does not name it") as caught:
        check_origin(Policy, entry())
    assert f'third_party = ["{NAME}:{digest()}"]' in caught.value.hint
    with pytest.raises(PolicyRefused, match=r"has the digest .* allows 0{12}…, 1{12}…"):
        check_origin(lambda: named("0" * 64, "1" * 64), entry())
    policy = named("0" * 64, digest())
    check_origin(lambda: policy, entry())
    write(place, f"{NAME}/__pycache__/__init__.cpython-311.pyc", "compiled")
    write(place, f"plugin_{NAME}-1.dist-info/INSTALLER", "pip")
    check_origin(lambda: policy, entry())
    (place / NAME / "__init__.py").write_text("PLUGIN = 1\n")
    with pytest.raises(PolicyRefused, match="has the digest"):
        check_origin(lambda: policy, entry())
    (place / NAME / "__init__.py").unlink()
    with pytest.raises(PolicyRefused, match="cannot be read"):
        check_origin(lambda: policy, entry())


def test_the_digest_is_one_line_a_file(place: Path) -> None:
    files = [path for path in place.rglob("*") if path.is_file() and path.name != "RECORD"]
    told = sorted((str(each.relative_to(place)), each.read_bytes()) for each in files)
    lines = "".join(f"{hashlib.sha256(held).hexdigest()}  {path}\n" for path, held in told)
    assert digest() == hashlib.sha256(lines.encode()).hexdigest()


def test_what_lies_beside_or_before_it_is_not_let_in_with_it(
    place: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    policy = named(digest())
    beside = place / NAME / "on_no_record.py"
    beside.touch()
    with pytest.raises(PolicyRefused, match="has the digest"):
        check_origin(lambda: policy, entry())
    beside.unlink()
    check_origin(lambda: policy, entry())
    (tmp_path / "before" / NAME).mkdir(parents=True)
    (tmp_path / "before" / NAME / "__init__.py").write_text("PLUGIN = 2\n")
    monkeypatch.syspath_prepend(str(tmp_path / "before"))
    with pytest.raises(PolicyRefused, match="has the digest"):
        check_origin(lambda: policy, entry())


def test_in_place_there_are_no_bytes_that_stay(place: Path) -> None:
    where = {"url": place.as_uri(), "dir_info": {"editable": True}}
    write(place, f"plugin_{NAME}-1.dist-info/direct_url.json", json.dumps(where))
    with pytest.raises(PolicyRefused, match="is installed in place") as caught:
        check_origin(lambda: named(digest()), entry())
    assert "build its wheel" in caught.value.hint


def test_nobody_brings_anothers_driver(place: Path) -> None:
    write(place, "weighhouse_drivers/weighhouse-driver-resp", "another")
    with pytest.raises(PolicyRefused, match="brings `weighhouse-driver-resp`"):
        check_origin(lambda: named(digest()), entry())


@pytest.mark.parametrize("line", ["etcd", "etcd:12", f"Etcd:{'0' * 64}", f"etcd:{'g' * 64}"])
def test_lines_that_name_no_digest_are_refused(tmp_path: Path, line: str) -> None:
    file = tmp_path / "policy.toml"
    file.write_text(f'third_party = ["{line}"]')
    with pytest.raises(PolicyRefused, match="third_party"):
        PolicyFile(file).read()
