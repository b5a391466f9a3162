"""Reads a plugin's wheel without running any of it, and says what keeps a machine from using it."""

import hashlib
import os
import platform
import re
import struct
import tomllib
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from configparser import ConfigParser
from configparser import Error as ConfigError
from dataclasses import dataclass
from email.parser import BytesParser
from pathlib import Path, PurePosixPath

from packaging.requirements import InvalidRequirement, Requirement
from packaging.tags import sys_tags
from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename
from weighhouse_protocol.apis import ManifestApi, api_problems
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.offered import refusal

from weighhouse_sdk.driver import PREFIX
from weighhouse_sdk.registry import GROUP
from weighhouse_sdk.wheels.digests import DRIVERS, METADATA, digest_of_files

MOST_FILES, MOST_BYTES = 5_000, 500_000_000
"""Of a wheel, unpacked: whoever reads it did not write it."""
UNREADABLE = (
    zipfile.BadZipFile, zlib.error, EOFError, UnicodeError, NotImplementedError, RuntimeError,
)  # fmt: skip
"""What an archive raises that is none, or is broken, encrypted or packed in another way."""
OURS = "weighhouse_"
_LIBRARY = re.compile(rb"GLIBC_2\.(\d+)\0")
_ELF = b"\x7fELF"
_MACHINES = {"x86_64": 62, "aarch64": 183}
"""`e_machine` of elf(5)."""


class WheelRefused(Exception):
    """A wheel that no machine would use, with all that is wrong with it, and how it is mended."""

    def __init__(self, name: str, problems: Sequence[str]) -> None:
        """:param problems: one sentence each."""
        super().__init__("\n".join(f"{name}: {each}" for each in problems))
        self.problems = tuple(problems)


@dataclass(frozen=True, slots=True)
class CheckedWheel:
    """What a wheel is."""

    plugin: str
    """The plugin's identifier."""
    distribution: str
    version: str
    digest: str
    """By which policies name it."""
    drivers: Mapping[str, str]
    """Drivers that it brings: executable → SHA-256."""
    api: ManifestApi

    @property
    def policy_line(self) -> str:
        """What lets a machine use it, for the top of its policy.toml."""
        return policy_line(self.plugin, self.digest)


def policy_line(plugin: str, digest: str) -> str:
    """What a policy.toml says to let a machine use a plugin that is not of its release."""
    return f'third_party = ["{plugin}:{digest}"]'


def check_wheel(path: Path) -> CheckedWheel:
    """Read a wheel, and hold it against this machine and this release.

    :raises WheelRefused: with everything that is wrong.
    :raises OSError: when the file cannot be read.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            return _checked(path.name, archive)
    except UNREADABLE as error:
        raise WheelRefused(path.name, [f"it is no wheel: {error}"]) from error


def _checked(name: str, archive: zipfile.ZipFile) -> CheckedWheel:
    members = [each for each in archive.infolist() if not each.is_dir()]
    if len(members) > MOST_FILES or sum(each.file_size for each in members) > MOST_BYTES:
        raise WheelRefused(name, [f"it is larger than {MOST_FILES} files of {MOST_BYTES} bytes"])
    files = {each.filename: archive.read(each) for each in members}
    plugin, module = _entry(name, files)
    manifest, api = _manifest(name, files, module)
    drivers = {PurePosixPath(each).name: each for each in files if each.startswith(f"{DRIVERS}/")}
    problems = [
        *_misplaced(files, module, plugin),
        *_without_driver(files, drivers, manifest),
        *_unfit(name, {each: files[place] for each, place in drivers.items()}),
        *(f"{each}; install a release that fits" for each in api_problems(api)),
        *([] if manifest.id == plugin else [f"its manifest says `{manifest.id}`, not `{plugin}`"]),
    ]
    if problems:
        raise WheelRefused(name, problems)
    told = _metadata(files)
    digests = {path: hashlib.sha256(content).hexdigest() for path, content in files.items()}
    return CheckedWheel(
        plugin, told["Name"], told["Version"], digest_of_files(digests.items()).digest,
        {each: digests[place] for each, place in sorted(drivers.items())}, api,
    )  # fmt: skip


def _about(files: Mapping[str, bytes], file: str) -> bytes:
    return next(
        (content for path, content in files.items()
         if path.count("/") == 1 and path.endswith(f"{METADATA}/{file}")), b"",
    )  # fmt: skip


def _metadata(files: Mapping[str, bytes]) -> Mapping[str, str]:
    told = BytesParser().parsebytes(_about(files, "METADATA"), headersonly=True)
    return {name: str(told.get(name, "")) for name in ("Name", "Version")}


def _entry(name: str, files: Mapping[str, bytes]) -> tuple[str, str]:
    """The plugin's identifier, and its package."""
    parser = ConfigParser(delimiters=("=",), interpolation=None)
    try:
        parser.read_string(_about(files, "entry_points.txt").decode())
    except ConfigError as error:
        raise WheelRefused(name, [f"its entry_points.txt cannot be read: {error}"]) from error
    found = list(parser.items(GROUP)) if parser.has_section(GROUP) else []
    if len(found) != 1:
        problem = f"it has {len(found)} plugins: one entry point in the group {GROUP} is wanted"
        raise WheelRefused(name, [problem])
    ((plugin, value),) = found
    return plugin, value.partition(":")[0].partition(".")[0].strip()


def _manifest(name: str, files: Mapping[str, bytes], module: str) -> tuple[Manifest, ManifestApi]:
    text = files.get(f"{module}/plugin.toml")
    if text is None:
        raise WheelRefused(name, [f"it has no {module}/plugin.toml, the plugin's manifest"])
    page = files.get(f"{module}/README.md", b"").decode()
    try:
        found = Manifest.model_validate(
            tomllib.loads(text.decode()) | ({"documentation": page} if page else {})
        )
    except ValueError as error:
        raise WheelRefused(name, [f"{module}/plugin.toml: {refusal(error)}"]) from error
    if found.api is None:
        problem = (
            "its manifest has no [api]: with which versions of SDK and driver it works is not "
            "known; write sdk = { least = 1, most = 1 } and driver = { least = 1, most = 1 }"
        )
        raise WheelRefused(name, [problem])
    return found, found.api


def _misplaced(files: Mapping[str, bytes], module: str, plugin: str) -> Iterator[str]:
    """Files that would be somebody else's, or run before any policy is asked."""
    wanted = f"{OURS}plugin_{plugin.replace('-', '_')}"
    if module.startswith(OURS) and module != wanted:
        yield f"its package {module} is not its own to bring: {wanted}, or a name of another kind"
    own = {f"{DRIVERS}/{PREFIX}{plugin}"}
    strange = sorted(
        path for path in files
        if not path.startswith(f"{module}/")
        and not path.partition("/")[0].endswith(METADATA)
        and path not in own
    )  # fmt: skip
    if strange:
        yield (
            f"it has {', '.join(strange[:3])}{' and others' if strange[3:] else ''} beside "
            f"{module}/ and {DRIVERS}/{PREFIX}{plugin}, which are all that a plugin may bring"
        )


def _without_driver(
    files: Mapping[str, bytes], drivers: Mapping[str, str], manifest: Manifest
) -> Iterator[str]:
    """A driver that is neither in the wheel nor in what it needs."""
    program = f"{PREFIX}{manifest.driver.id}"
    if manifest.kind == "tool" or program in drivers:
        return
    told = BytesParser().parsebytes(_about(files, "METADATA"), headersonly=True)
    for line in told.get_all("Requires-Dist", []):
        try:
            if canonicalize_name(Requirement(str(line)).name) == canonicalize_name(program):
                return
        except InvalidRequirement:
            continue
    yield (
        f"it has no driver: its manifest names `{manifest.driver.id}`, and neither is "
        f"{DRIVERS}/{program} in it nor does it need a package of that name; build it with "
        "`make wheel`"
    )


def _unfit(name: str, drivers: Mapping[str, bytes]) -> Iterator[str]:
    """That it is for another machine than this one."""
    here = os.uname().machine
    try:
        tags = parse_wheel_filename(name)[3]
    except InvalidWheelFilename as error:
        yield f"its name is none of a wheel: {error}"
        return
    if not tags & frozenset(sys_tags()):
        told = ", ".join(sorted(str(each) for each in tags))
        yield f"it is for another machine or Python ({told}); this one is {here}"
    elif drivers and all(each.platform == "any" for each in tags):
        yield "it says that it runs anywhere, and has an executable: build it with `make wheel`"
    for program, content in drivers.items():
        if not content.startswith(_ELF) or len(content) < 20:  # noqa: PLR2004 - e_machine's end
            yield f"{program} is no executable of Linux"
            continue
        (machine,) = struct.unpack_from("<H", content, 18)
        if machine != _MACHINES.get(here, machine):
            named = {number: each for each, number in _MACHINES.items()}
            its = named.get(machine, "another processor")
            yield f"{program} is for {its}; this machine is {here}"
        asked = max((int(each) for each in _LIBRARY.findall(content)), default=0)
        has = platform.libc_ver()[1].partition(".")[2]
        if has.isdigit() and asked > int(has):
            yield f"{program} asks for glibc 2.{asked}, and this machine has 2.{has}"
