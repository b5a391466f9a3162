"""What is told of a tool's progress, from what the tools really write."""

import importlib.util
import itertools
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

PROGRAM = Path(__file__).parents[2] / "infra" / "bootstrap" / "progress.py"
CARGO = (
    "    Updating crates.io index\n Downloading crates ...\n"
    " Downloading 131 crates, remaining bytes: 12.1MiB          \r  Downloaded serde v1.0.229\n"
    "  Downloaded 248 crates (31.0MiB) in 3.22s\n"
    "   Compiling libc v0.2.191\n    Building [>               ] 0/131: quote, libc\r"
    "    Building [====>           ] 45/131: tokio, rustls                  \r"
)
MAVEN = (
    "[INFO] Scanning for projects...\nDownloading from central: https://x/a.pom\n"
    "Progress (1): 2.7 kB\rDownloaded from central: https://x/a.pom (2.7 kB at 9.1 kB/s)\n"
    "Progress (2): 0.5/92 MB | 144/457 kB | 3.3/5.9 MB\rProgress (1): 38/92 MB\r"
)
NPM = (
    'npm warn Unknown user config "nodedir".\n'
    "npm http fetch GET 200 https://registry/vite 1203ms (cache updated)\n"
    "npm http fetch GET 200 https://registry/vite/-/vite-8.0.1.tgz 88ms (cache miss)\n"
    "npm http cache https://registry/vue/-/vue-3.5.1.tgz 0ms (cache hit)\n"
    "added 338 packages in 16s\n"
)
UV = (
    "Using Python 3.11.7 environment at: .venv\nResolved 102 packages in 572ms\n"
    "Downloading ruff (10.1MiB)\nDownloading scipy (33.7MiB)\n Downloaded ruff\n"
)
APT = (
    "Reading package lists...\nNeed to get 1,234 kB/31.2 MB of archives.\n"
    "dlstatus:3:45.8333:Retrieving file 3 of 9\npmstatus:clang-14:61.2:Unpacking clang-14 (amd64)\n"
)


@pytest.fixture(scope="module")
def progress() -> ModuleType:
    found = importlib.util.spec_from_file_location("bootstrap_progress", PROGRAM)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


@pytest.fixture
def told(progress: ModuleType) -> Callable[..., list[str]]:
    """All that is said when there is time enough for everything."""

    def all_of(tool: str, text: str, total: str = "") -> list[str]:
        reading, writing = os.pipe()
        os.write(writing, text.encode())
        os.close(writing)
        lines: list[str] = []
        clock = itertools.count(0.0, progress.EVERY_SECONDS)
        tell = progress.TELLERS[tool]("it", total)
        progress.follow(progress.pieces(reading), tell, lines.append, lambda: next(clock))
        os.close(reading)
        return lines

    return all_of


def test_cargo_counts_what_it_compiles(told: Callable[..., list[str]]) -> None:
    assert told("cargo", CARGO) == [
        "· it: 131 crates to download, 12.1MiB left",
        "· it: 248 crates (31.0MiB) downloaded",
        "· it: compiling 0 of 131 (quote, libc)",
        "· it: compiling 45 of 131 (tokio, rustls)",
    ]


def test_what_cargo_complains_of_is_passed_on(told: Callable[..., list[str]]) -> None:
    complaint = (
        "error[E0425]: cannot find value `x` in this scope\n --> src/main.rs:3:5\nwarning: x\n"
    )
    assert told("cargo", CARGO + complaint)[-4:] == [
        "· it: compiling 45 of 131 (tokio, rustls)",
        "error[E0425]: cannot find value `x` in this scope",
        "--> src/main.rs:3:5",
        "warning: x",
    ]


def test_maven_names_the_largest_download(told: Callable[..., list[str]]) -> None:
    assert told("maven", MAVEN) == ["· it: 1 files", "· it: 0.5 of 92 MB", "· it: 38 of 92 MB"]


def test_npm_counts_packages_and_not_what_it_asks_of_them(told: Callable[..., list[str]]) -> None:
    assert told("npm", NPM, "338") == ["· it: 1 looked up", "· it: 1 of 338", "· it: 2 of 338"]
    assert told("npm", "npm error code EINTEGRITY\n", "338") == ["npm error code EINTEGRITY"]


def test_uv_names_what_takes_a_while_with_its_size(told: Callable[..., list[str]]) -> None:
    assert told("uv", UV) == [
        "· it: 102 packages",
        "· it: downloading ruff 10.1MiB",
        "· it: downloading ruff 10.1MiB, scipy 33.7MiB",
        "· it: downloading scipy 33.7MiB",
    ]
    assert told("uv", "error: Failed to fetch\n") == ["error: Failed to fetch"]


def test_apt_tells_the_size_and_the_share(told: Callable[..., list[str]]) -> None:
    assert told("apt", APT) == [
        "· it: 46 % of 31.2 MB downloaded",
        "· it: 61 % installed (clang-14)",
    ]


def test_progress_is_told_seldom_and_its_last_word_always() -> None:
    bars = "".join(f"\r    Building [=>   ] {number}/131: libc" for number in range(132))
    done = subprocess.run(
        [sys.executable, str(PROGRAM), "cargo", "drivers"],
        input=bars, capture_output=True, text=True, check=True,
    )  # fmt: skip
    lines = done.stderr.splitlines()
    assert lines[0] == "· drivers: compiling 0 of 131 (libc)"
    assert lines[-1] == "· drivers: compiling 131 of 131 (libc)"
    assert len(lines) < 10
    assert done.stdout == ""


def test_what_takes_long_is_said_again_with_how_long_it_has_been(progress: ModuleType) -> None:
    lines: list[str] = []
    found = iter(["Building [=>  ] 5/131: ring", *[""] * 12])
    clock = itertools.count(0.0, progress.EVERY_SECONDS)
    tell = progress.TELLERS["cargo"]("it", "")
    progress.follow(found, tell, lines.append, lambda: next(clock))
    assert lines == [
        "· it: compiling 5 of 131 (ring)",
        "· it: compiling 5 of 131 (ring), for 20 s",
        "· it: compiling 5 of 131 (ring), for 40 s",
    ]
