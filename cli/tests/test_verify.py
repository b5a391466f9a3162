"""`weighhouse verify` alone: what is no bundle is refused in words, and nobody else is asked.

What bundles of campaigns come to stands in backend/tests/bundles.
"""

import io
import json
import tarfile
from pathlib import Path

import pytest
from typer.testing import CliRunner
from weighhouse_cli.exits import CommandFailed, Exit
from weighhouse_cli.whole import app


def refused(file: Path, *arguments: str) -> str:
    result = CliRunner().invoke(app, ["verify", str(file), *arguments])
    assert isinstance(result.exception, CommandFailed), result.output
    assert result.exception.code is Exit.INVALID
    if "--json" in arguments:
        told = json.loads(result.stdout)
        assert told["holds"] is False
        assert told["refused"] in str(result.exception)
    return str(result.exception)


@pytest.mark.parametrize(
    "content", [b"", b"PK\x03\x04", bytes(1024), b"\x1f\x8b" + bytes(600), b"x" * 5000]
)
def test_what_is_no_bundle_is_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "some.tar"
    file.write_bytes(content)
    assert "some.tar" in refused(file)
    refused(file, "--json")


@pytest.mark.parametrize("name", ["../../outside", "/outside", "plain.json"])
def test_another_programs_archive_is_refused_before_anything_of_it_is_read(
    tmp_path: Path, name: str
) -> None:
    file = tmp_path / "some.tar"
    with tarfile.open(file, "w") as archive:
        member = tarfile.TarInfo(name)
        member.size, member.mtime = 3, 1
        archive.addfile(member, io.BytesIO(b"abc"))
    assert "there is no header" in refused(file)
    assert [one.name for one in tmp_path.iterdir()] == ["some.tar"]


def test_a_file_that_says_it_is_huge_costs_nothing(tmp_path: Path) -> None:
    file = tmp_path / "some.tar"
    member = tarfile.TarInfo("huge.json")
    member.size = 8**11 - 1
    file.write_bytes(member.tobuf(tarfile.USTAR_FORMAT))
    refused(file)


def test_a_file_that_is_missing_is_named(tmp_path: Path) -> None:
    assert "none.tar" in refused(tmp_path / "none.tar")
