"""What a release names by its version is taken from nowhere else."""

import subprocess
import sys
import zipfile
from pathlib import Path

METADATA = "Metadata-Version: 2.1\nName: weighhouse\nVersion: 9.9.9\n"
WHEEL = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def would_install(root: Path, *options: str | Path) -> str:
    """What the installer says it would do to have the newest platform there."""
    command: list[str | Path] = [
        Path(sys.executable).with_name("uv"), "pip", "install", "--python", root / "bin" / "python",
        "--offline", "--no-index", "--dry-run", "--upgrade", *options, "weighhouse",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stderr


def test_a_newer_package_of_a_stranger_is_not_taken(
    installed: Path, wheels: Path, tmp_path: Path
) -> None:
    with zipfile.ZipFile(tmp_path / "weighhouse-9.9.9-py3-none-any.whl", "w") as archive:
        archive.writestr("weighhouse-9.9.9.dist-info/METADATA", METADATA)
        archive.writestr("weighhouse-9.9.9.dist-info/WHEEL", WHEEL)
        archive.writestr("weighhouse-9.9.9.dist-info/RECORD", "")
    places = ("--find-links", wheels, "--find-links", tmp_path)
    assert "weighhouse==9.9.9" in would_install(installed, *places)
    told = would_install(installed, *places, "--constraint", wheels / "constraints.txt")
    assert "9.9.9" not in told
