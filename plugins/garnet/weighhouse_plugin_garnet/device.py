"""Whether Garnet's own way to a disk, a library that it brings along, can be loaded here.

Garnet 2.2.8 takes it on Linux unless told otherwise, comes up in any case, and aborts at the first
write when the C library is older than the one it was built for (2.38), or libaio is missing.
"""

import platform
import shutil
import subprocess
from pathlib import Path

LIBRARY = "libnative_device.so"
PLACES = (
    "runtimes/linux-{processor}/native/" + LIBRARY,
    "**/.store/garnet-server/**/runtimes/linux-{processor}/native/" + LIBRARY,
)
"""Beside a program that was published, and where `dotnet tool install` puts it."""
PROCESSORS = {"x86_64": "x64", "aarch64": "arm64"}
ASK_SECONDS = 10.0


def native_device_lacks(executable: Path) -> str:
    """What is missing on this machine for the library to be loaded; empty: nothing.

    :param executable: Garnet's program, or what starts it from a folder of its own.
    """
    library = _library(executable.resolve())
    if library is None:
        return f"{LIBRARY} is not found beside {executable}"
    loader = shutil.which("ldd")
    if loader is None:
        return "there is no ldd to ask what it needs"
    try:
        told = subprocess.run(
            [loader, str(library)],
            capture_output=True,
            text=True,
            check=False,
            timeout=ASK_SECONDS,
            env={"LC_ALL": "C"},
        )
    except (subprocess.SubprocessError, OSError) as error:
        return str(error)
    lines = (told.stdout + told.stderr).splitlines()
    lacking = [line.strip() for line in lines if "not found" in line]
    if told.returncode and not lacking:
        lacking = lines[-1:]
    return "; ".join(lacking)


def _library(program: Path) -> Path | None:
    processor = PROCESSORS.get(platform.machine(), platform.machine())
    patterns = [each.format(processor=processor) for each in PLACES]
    found = (path for pattern in patterns for path in program.parent.glob(pattern))
    return next(found, None)
