"""`pip install -U` over a platform that has data: it goes on with them."""

import json
import re
import shutil
import signal
import subprocess
from pathlib import Path

import httpx
import yaml
from weighhouse_cli.embedded.directory import free_port
from weighhouse_testing.tree import REPOSITORY
from weighhouse_testing.waits import until
from weighhouse_testing.wheelhouse import built, declared, environment, install

BEFORE = "0.0.1"
"""What wheels of the older commit are called: releases have different versions, commits not."""
VERSION = re.compile(r'^(version|VERSION) = "[^"]+"$', re.MULTILINE)
LOCKED = re.compile(r'^(name = "weighhouse[^"]*"\nversion) = "[^"]+"$', re.MULTILINE)
TOLD_IN = {"pyproject.toml", "Cargo.toml", "weighhouse_agent/__init__.py"}
"""Where a version stands: the agent's in its code, too, for it tells of itself."""


def git(*words: str) -> bytes:
    done = subprocess.run(["git", "-C", REPOSITORY, *words], capture_output=True, check=False)
    assert done.returncode == 0, f"this needs the history of the clone: {done.stderr.decode()}"
    return done.stdout


def older_tree(folder: Path) -> Path:
    """The commit before this one, or this one where the clone begins with it, with a version of
    its own.
    """
    folder.mkdir()
    commit = git("rev-list", "--max-count=2", "--first-parent", "HEAD").decode().split()[-1]
    archive = git("archive", "--format=tar", commit, "--", ".", ":!frontend")
    subprocess.run(["tar", "-x", "-C", folder], input=archive, check=True)
    (folder / "frontend").mkdir()
    shutil.copytree(REPOSITORY / "frontend" / "dist", folder / "frontend" / "dist")
    for name in TOLD_IN:
        for file in folder.rglob(name):
            text = file.read_text("utf-8")
            file.write_text(VERSION.sub(rf'\1 = "{BEFORE}"', text), "utf-8")
    for file in folder.rglob("Cargo.lock"):
        text = file.read_text("utf-8")
        file.write_text(LOCKED.sub(rf'\1 = "{BEFORE}"', text), "utf-8")
    return folder


def migrations(root: Path) -> set[str]:
    versions = root.glob("lib/python*/site-packages/weighhouse_resources/migrations/versions/*.py")
    return {file.name for file in versions}


def versions(root: Path) -> set[str]:
    """Of all that is ours."""
    told = root.glob("lib/python*/site-packages/weighhouse*.dist-info")
    return {folder.name.removesuffix(".dist-info").rpartition("-")[2] for folder in told}


def test_an_upgrade_keeps_what_was_measured_and_goes_on(
    tmp_path: Path, server_directory: Path
) -> None:
    older, newer = tmp_path / "older-wheels", tmp_path / "newer-wheels"
    built(older, older_tree(tmp_path / "older"))
    built(newer)
    look = yaml.safe_load((REPOSITORY / "experiments" / "first-look.yaml").read_text("utf-8"))
    look["targets"] = [one for one in look["targets"] if one["name"] == "redis"]
    look["disclosure"]["systems"] = []
    look["load_levels"], look["repetitions"] = [{"model": "closed", "clients": 1}], 2
    look["phases"] |= {"warmup_seconds": 0.1, "measure_seconds": 0.3, "interval_seconds": 0.1}
    (tmp_path / "look.yaml").write_text(yaml.safe_dump(look), "utf-8")
    with environment(server_directory.parent, declared(older) | declared(newer)) as root:
        port = str(free_port())
        install(root, older, "weighhouse[rocksdb]")
        before = migrations(root)
        assert versions(root) == {BEFORE}
        first = demo(root, tmp_path, port, once=True)
        assert "comparison  http" in first
        install(root, newer, "weighhouse[rocksdb]", "--upgrade")
        assert migrations(root) >= before
        assert BEFORE not in versions(root)
        demo(root, tmp_path, port, once=False)


def command(root: Path, place: Path, *words: str) -> str:
    done = subprocess.run(
        [root / "bin" / "weighhouse", *words], cwd=place, env=variables(root, place),
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    return done.stdout


def variables(root: Path, place: Path) -> dict[str, str]:
    programs = root / "programs"
    programs.mkdir(exist_ok=True)
    for name in ("redis-server", "setpriv"):
        if (found := shutil.which(name)) and not (programs / name).exists():
            (programs / name).symlink_to(found)
    return {"PATH": str(programs), "HOME": str(place)}


def demo(root: Path, place: Path, port: str, *, once: bool) -> str:
    """Weigh; without `once`, look at what there is of both releases, and end."""
    words = ("demo", "--port", port, "--data-dir", str(root / "data"), "--file", "look.yaml")
    if once:
        return command(root, place, *words, "--once")
    output = place / "upgraded"
    with output.open("wb") as log:
        running = subprocess.Popen(
            [root / "bin" / "weighhouse", *words], cwd=place, env=variables(root, place),
            stdout=log, stderr=log,
        )  # fmt: skip
    try:
        until("a comparison", lambda: "comparison  http" in output.read_text("utf-8"))
        known = json.loads((root / "data" / "secrets" / "first-user.json").read_text("utf-8"))
        answer = httpx.get(
            f"http://127.0.0.1:{port}/api/v1/campaigns", timeout=60,
            headers={"Authorization": f"Bearer {known['api_token']}"},
        )  # fmt: skip
        found = answer.json()["items"]
        assert [one["status"] for one in found] == ["completed", "completed"]
        assert len({one["experiment"]["id"] for one in found}) == 1
    finally:
        running.send_signal(signal.SIGINT)
        assert running.wait() == 0, output.read_text("utf-8")
    return output.read_text("utf-8")
