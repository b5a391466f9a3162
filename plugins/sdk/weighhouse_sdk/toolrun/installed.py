"""Finds the programs of tools, and asks them for their version."""

import shutil
import subprocess
from pathlib import Path

from weighhouse_sdk.context import HostOptions
from weighhouse_sdk.errors import BinaryMissing, WrongProduct

ASK_SECONDS = 20.0


def located(program: str, options: HostOptions, hint: str) -> Path:
    """Find a tool's program.

    :param hint: where to get it, when there is none.
    :raises BinaryMissing: when it is not there.
    """
    found = shutil.which(program, path=options.search_path)
    if found is None:
        raise BinaryMissing(program, hint=hint)
    return Path(found)


def told(executable: Path, *arguments: str) -> str:
    """What a program prints when it is asked about itself, whatever its exit status.

    :raises WrongProduct: when it cannot be run, or does not end.
    """
    try:
        answer = subprocess.run(
            [str(executable), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
            timeout=ASK_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise WrongProduct(
            f"{executable} does not tell its version: {error}", "install the tool again"
        ) from error
    return answer.stdout.decode("utf-8", errors="replace")
