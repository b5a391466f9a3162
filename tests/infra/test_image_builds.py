"""infra/images/build.sh: what `make images` asks for, of whom, and in which order."""

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
REAL = ("infra/images/build.sh", "infra/compose/prepare.sh", "docker-compose.yml")
NOTED = ("infra/packages/build.sh", "infra/images/prepare.sh", "infra/images/base.sh")
NOTE = """#!/bin/bash
echo "{name} $*" >>"$RECORD"
while [ $# -gt 0 ]; do [ "$1" = --env-file ] && cp "$2" "$RECORD.env"; shift; done
exit {code}
"""
Asked = Callable[..., tuple[list[str], subprocess.CompletedProcess[str]]]


@pytest.fixture
def asked(tmp_path: Path) -> Asked:
    """What build.sh asks of programs that only note it, in a clone where nothing was prepared."""
    for path in REAL:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(REPOSITORY / path, tmp_path / path)

    def note(path: Path, name: str, code: int) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(NOTE.format(name=name, code=code), "utf-8")
        path.chmod(0o755)

    def run(
        *words: str, engine: bool = True, compose: bool = True
    ) -> tuple[list[str], subprocess.CompletedProcess[str]]:
        for path in NOTED:
            note(tmp_path / path, path, 0)
        note(tmp_path / "bin" / "docker", "docker", 0 if engine else 1)
        if compose:
            note(tmp_path / "bin" / "docker-compose", "docker-compose", 0)
        # Of the machine's programs those alone that scripts need: it may have a Docker.
        for name in ("bash", "dirname", "mktemp", "rm", "cp", "touch", "grep", "head", "base64",
                     "tr", "sed", "mkdir"):  # fmt: skip
            found = shutil.which(name)
            assert found, name
            (tmp_path / "bin" / name).symlink_to(found)
        done = subprocess.run(
            [tmp_path / "infra/images/build.sh", *words],
            env={"PATH": str(tmp_path / "bin"), "RECORD": str(tmp_path / "record"),
                 "TMPDIR": str(tmp_path), "HOME": os.environ.get("HOME", "/")},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        record = tmp_path / "record"
        return record.read_text("utf-8").splitlines() if record.exists() else [], done

    return run


def test_images_are_built_before_anybody_made_passwords(asked: Asked, tmp_path: Path) -> None:
    noted, done = asked()
    assert done.returncode == 0, done.stderr
    assert [line.split()[0] for line in noted] == ["docker", *NOTED, "docker-compose"]
    assert noted[-1].endswith("--profile agent build")
    composed = (tmp_path / "docker-compose.yml").read_text("utf-8")
    wanted = set(re.findall(r"\$\{(\w+):\?", composed))
    given = (tmp_path / "record.env").read_text("utf-8").splitlines()
    assert wanted
    assert wanted <= {line.partition("=")[0] for line in given if line.partition("=")[2]}
    assert not (tmp_path / ".env").exists()


def test_wheels_that_are_there_are_taken(asked: Asked) -> None:
    noted, done = asked("/srv/packages")
    assert done.returncode == 0, done.stderr
    assert "infra/images/prepare.sh /srv/packages" in noted
    assert not [line for line in noted if line.startswith("infra/packages/build.sh")]


def test_without_an_engine_nothing_is_built_first(asked: Asked) -> None:
    noted, done = asked(engine=False)
    assert done.returncode == 1
    assert [line.split()[0] for line in noted] == ["docker"]
    assert "docker.io" in done.stderr


def test_dockers_own_compose_does_it_as_well(asked: Asked) -> None:
    noted, done = asked(compose=False)
    assert done.returncode == 0, done.stderr
    assert noted[-1].startswith("docker compose --env-file ")
    assert noted[-1].endswith("--profile agent build")
