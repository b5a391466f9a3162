"""A plugin of others: begun in an empty folder, built of wheels, run beside an agent of wheels."""

import json
import os
import shutil
import subprocess
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from weighhouse_sdk.wheels.checked import CheckedWheel, WheelRefused, check_wheel
from weighhouse_testing.agents import agents_of
from weighhouse_testing.experiments import small_experiment
from weighhouse_testing.platform import RunningPlatform
from weighhouse_testing.wheelhouse import install, link_distribution

NAME = "quaylite"
BUILDS_WHEELS = ("hatchling", "pathspec", "pluggy", "trove-classifiers")
"""What an author has beside the wheels of a release."""
AS_COPIES = ("--no-deps", "--reinstall", "--no-cache", "--link-mode", "copy")
"""Files that a test may change: no links into the installer's cache."""
QUICKLY = {"OPT_LEVEL": "0", "LTO": "off", "CODEGEN_UNITS": "16", "DEBUG": "false"}
"""Of the driver's profile: how fast it is, is no matter here."""


@dataclass(frozen=True)
class Made:
    """What came out of an author's folder."""

    folder: Path
    wheel: Path
    told: str
    """What `make wheel` said."""
    checked: CheckedWheel


@pytest.fixture(scope="module")
def made(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Made]:
    folder = tmp_path_factory.mktemp("author") / NAME
    folder.mkdir()
    beside = tmp_path_factory.mktemp("beside")
    for name in BUILDS_WHEELS:
        link_distribution(name, beside)
    built = Path(os.environ.get("CARGO_TARGET_DIR", Path.home() / ".cache/weighhouse/target"))
    own = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path_factory.mktemp("home")),
        "PYTHONPATH": str(beside),
        # What others wrote is compiled once for all test runs; this folder's crates each time.
        "CARGO_TARGET_DIR": str(built / "of-third-parties"),
        "CARGO_HOME": os.environ.get("CARGO_HOME", str(Path.home() / ".cargo")),
        "RUSTUP_HOME": os.environ.get("RUSTUP_HOME", str(Path.home() / ".rustup")),
        "CARGO_NET_OFFLINE": "true",
        **{f"CARGO_PROFILE_RELEASE_{name}": value for name, value in QUICKLY.items()},
    }
    own |= {name: os.environ[name] for name in ("RUSTUP_TOOLCHAIN",) if name in os.environ}
    said = ""
    for command in (
        (installed / "bin" / "weighhouse", "plugin", "new", NAME),
        ("make", "wheel", f"PY={installed / 'bin' / 'python'}"),
    ):
        done = subprocess.run(
            command, cwd=folder, env=own, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        said = done.stdout
    (wheel,) = (folder / "dist").glob("*.whl")
    yield Made(folder, wheel, said, check_wheel(wheel))
    # This folder is never built again.
    crates = [f"weighhouse-{each}" for each in ("engine", "driver-api", f"driver-{NAME}")]
    for crate in crates:
        command = ["cargo", "clean", "--release", "-p", crate]
        subprocess.run(command, cwd=folder / "driver", env=own, capture_output=True, check=False)


@pytest.fixture
def with_plugin(agent_alone: Path, made: Made) -> Path:
    install(agent_alone, made.wheel.parent, str(made.wheel), *AS_COPIES)
    return agent_alone


def inventory(environment: Path, policy: str, tmp_path: Path, **variables: str) -> dict[str, Any]:
    """What an agent says of its plugins as it begins."""
    (tmp_path / "policy.toml").write_text(policy, encoding="utf-8")
    done = subprocess.run(
        [
            environment / "bin" / "python", "-m", "weighhouse_agent.supervisor.fork_server",
            tmp_path / "policy.toml",
        ],
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), **variables},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def altered(made: Made, place: Path, before: str, after: str) -> Path:
    """The wheel with another line in its manifest."""
    other = place / made.wheel.name
    with zipfile.ZipFile(made.wheel) as source, zipfile.ZipFile(other, "w") as target:
        for each in source.infolist():
            content = source.read(each)
            if each.filename.endswith("/plugin.toml"):
                assert before.encode() in content
                content = content.replace(before.encode(), after.encode())
            target.writestr(each, content)
    return other


def test_it_is_measured_where_nobody_ever_saw_its_sources(
    platform: RunningPlatform, with_plugin: Path, made: Made, server_directory: Path
) -> None:
    assert (
        made.wheel.name == f"weighhouse_plugin_{NAME}-0.1.0-py3-none-linux_{os.uname().machine}.whl"
    )
    assert made.checked.policy_line in made.told
    python = str(with_plugin / "bin" / "python")
    line = made.checked.policy_line
    homes = server_directory.parent
    with agents_of(platform, "afar", homes=homes, python=python, policy_lines=line):
        campaign = platform.start_campaign(small_experiment("of-others", NAME, repetitions=1))
        campaign = platform.wait_for_campaign(campaign["id"])
        ((listed,),) = (cell["runs"] for cell in campaign["cells"])
        run = platform.request("GET", f"/runs/{listed['id']}")
        assert run["status"] == "completed", run
        ran = {one["role"]: one for one in run["target"]["programs"]}
    assert ran["plugin"]["name"] == made.checked.distribution
    assert ran["plugin"]["sha256"] == made.checked.digest
    assert {ran["driver"]["name"]: ran["driver"]["sha256"]} == dict(made.checked.drivers)


def test_what_the_policy_does_not_name_is_not_so_much_as_imported(
    with_plugin: Path, made: Made, tmp_path: Path
) -> None:
    (package,) = with_plugin.glob(f"lib/python*/site-packages/weighhouse_plugin_{NAME}")
    shutil.rmtree(package / "__pycache__", ignore_errors=True)
    found = inventory(with_plugin, "", tmp_path)
    assert "does not name it" in found["broken"][NAME]
    assert made.checked.policy_line in found["broken"][NAME]
    assert not (package / "__pycache__").exists()
    other = f'third_party = ["{NAME}:{"0" * 64}"]'
    found = inventory(with_plugin, other, tmp_path)
    assert f"has the digest {made.checked.digest[:12]}…" in found["broken"][NAME]
    assert "allows 000000000000…" in found["broken"][NAME]
    assert not found["manifests"]
    assert not (package / "__pycache__").exists()
    found = inventory(with_plugin, made.checked.policy_line, tmp_path)
    assert [each["id"] for each in found["manifests"]] == [NAME]
    assert not found["broken"]
    with (package / "plugin.py").open("a", encoding="utf-8") as file:
        file.write("\n")
    found = inventory(with_plugin, made.checked.policy_line, tmp_path)
    assert "has the digest" in found["broken"][NAME]


def test_interfaces_that_do_not_fit_are_refused_with_both_ranges(
    agent_alone: Path, made: Made, tmp_path: Path
) -> None:
    newer = altered(
        made, tmp_path, "sdk = { least = 1, most = 1 }", "sdk = { least = 2, most = 3 }"
    )
    words = "works with version 2 to 3 of the SDK API, and this machine has 1"
    with pytest.raises(WheelRefused, match=words):
        check_wheel(newer)
    install(agent_alone, newer.parent, str(newer), *AS_COPIES)
    found = inventory(agent_alone, "", tmp_path)["broken"][NAME]
    line = found[found.index("third_party =") : found.index("]") + 1]
    found = inventory(agent_alone, line, tmp_path)
    assert f"plugin `{NAME}`" in found["broken"][NAME]
    assert words in found["broken"][NAME]
    assert not found["manifests"]


def test_a_driver_from_elsewhere_is_not_started_in_its_place(
    with_plugin: Path, made: Made, tmp_path: Path
) -> None:
    (driver,) = with_plugin.glob(f"lib/python*/site-packages/weighhouse_drivers/*{NAME}")
    elsewhere = tmp_path / "drivers"
    elsewhere.mkdir()
    shutil.copy(driver, elsewhere)
    line = made.checked.policy_line
    found = inventory(with_plugin, line, tmp_path, WEIGHHOUSE_DRIVERS=str(elsewhere))
    assert not found["broken"]  # the same bytes
    with (elsewhere / driver.name).open("ab") as file:
        file.write(b"another")
    found = inventory(with_plugin, line, tmp_path, WEIGHHOUSE_DRIVERS=str(elsewhere))
    assert f"another `{driver.name}` than the one that it brought" in found["broken"][NAME]
    driver.write_bytes(driver.read_bytes() + b"another")
    found = inventory(with_plugin, line, tmp_path)
    assert "has the digest" in found["broken"][NAME]
