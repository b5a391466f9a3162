"""The `weighhouse` command against a platform under test, as a pipeline runs it."""

import os
import subprocess
import sys
from pathlib import Path

from weighhouse_testing.platform import RunningPlatform

WEIGHHOUSE = str(Path(sys.executable).with_name("weighhouse"))


def weighhouse(
    platform: RunningPlatform, *arguments: str, token: str | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run the command to its end, whatever its exit code.

    :param token: default: the platform's first one.
    :param variables: further environment variables.
    """
    return subprocess.run(
        [WEIGHHOUSE, *arguments],
        env={
            **os.environ,
            "WEIGHHOUSE_URL": platform.url,
            "WEIGHHOUSE_TOKEN": token or platform.token,
            "NO_COLOR": "1",
            **variables,
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=480,
    )
