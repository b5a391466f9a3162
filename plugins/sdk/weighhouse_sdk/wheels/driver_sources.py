"""What drivers are built of outside of the repository: load engine, driver API and test kit (Rust).

`python -m weighhouse_sdk.wheels.driver_sources FOLDER` unpacks them out of the package
`weighhouse-driver-sources`, as a workspace of their own; a driver names its crates by path. A
folder that has those of this release already is left as it is, so that Cargo builds nothing again.
"""

import filecmp
import re
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

from weighhouse_sdk.errors import BinaryMissing

PACKAGE = "weighhouse_driver_sources"
CRATES = ("engine", "engine/api", "engine/ring", "engine/testkit")
LOCK = "Cargo.lock"
_MEMBERS = re.compile(r"^members = .*$", re.MULTILINE)
_EXCLUDED = re.compile(r"^exclude = .*\n", re.MULTILINE)


def sources() -> Path:
    """Where the installed sources lie.

    :raises BinaryMissing: when they are not installed.
    """
    spec = find_spec(PACKAGE)
    for place in (spec.submodule_search_locations or ()) if spec else ():
        if (Path(place) / "Cargo.toml").is_file():
            return Path(place)
    raise BinaryMissing(
        "weighhouse-driver-sources",
        hint="install the package of that name, which `make packages` of Weighhouse makes: "
        "a driver is built of it",
    )


def unpack(folder: Path) -> bool:
    """Put the sources into a folder; files of another release that are in it are replaced.

    :returns: whether anything was written.
    :raises BinaryMissing: when they are not installed.
    :raises OSError: when the folder cannot be written.
    """
    found = sources()
    wanted = {path.relative_to(found) for path in found.rglob("*") if _is_source(path)}
    written = False
    for place in sorted(wanted):
        target, source = folder / place, found / place
        if place.as_posix() == "Cargo.toml":
            written |= _write(target, alone(source.read_text(encoding="utf-8")))
        elif not target.is_file() or not filecmp.cmp(source, target, shallow=False):
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
            written = True
    for crate in CRATES:
        for left in (folder / crate / "src").rglob("*.rs"):
            if left.relative_to(folder) not in wanted:
                left.unlink()
                written = True
    return written


def alone(workspace: str) -> str:
    """The root of the whole workspace as one of the engine's crates alone."""
    members = f"members = {list(CRATES)}".replace("'", '"')
    return _EXCLUDED.sub("", _MEMBERS.sub(members, workspace, count=1), count=1)


def _is_source(path: Path) -> bool:
    return path.is_file() and "__pycache__" not in path.parts and path.name != "__init__.py"


def _write(path: Path, text: str) -> bool:
    if path.is_file() and path.read_text(encoding="utf-8") == text:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return True


if __name__ == "__main__":
    if len(sys.argv) != 2:  # noqa: PLR2004 - the program and its folder
        sys.exit("usage: python -m weighhouse_sdk.wheels.driver_sources FOLDER")
    try:
        unpack(Path(sys.argv[1]))
    except BinaryMissing as missing:
        sys.exit(f"{missing.message}; {missing.hint}")
