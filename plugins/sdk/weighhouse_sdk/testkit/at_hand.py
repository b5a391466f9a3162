"""For tests of plugins: a real server that this machine may or may not have.

A test whose server is not here says so on the terminal, past pytest's capture, with what would run
it: nothing is left out in silence.
"""

import os
import shutil
from pathlib import Path
from typing import NoReturn

import pytest


def not_run(request: pytest.FixtureRequest, reason: str) -> NoReturn:
    """Say what cannot be run here and why, and leave the test out."""
    capture = request.config.pluginmanager.getplugin("capturemanager")
    line = f"\nNOT RUN: {request.node.name}: {reason}\n"
    if capture is None:
        os.write(2, line.encode())
    else:
        with capture.global_and_fixture_disabled():
            os.write(2, line.encode())
    pytest.skip(reason)


def server(request: pytest.FixtureRequest, program: str, variable: str, hint: str = "") -> Path:
    """A server's program: the file that an environment variable names, or the one on PATH.

    Its folder is put first on PATH for as long as the fixture lives that asks for it.

    :param variable: for example `WEIGHHOUSE_ASD`.
    :param hint: a further way to get it.
    """
    named = os.environ.get(variable)
    found = Path(named) if named else Path(shutil.which(program) or "")
    if not (found.is_file() and found.name == program):
        ways = f"put it on PATH, or name its file by {variable}"
        not_run(request, "; ".join(filter(None, (f"{program} is not on this machine", ways, hint))))
    patch = pytest.MonkeyPatch()
    request.addfinalizer(patch.undo)
    patch.setenv("PATH", f"{found.parent}{os.pathsep}{os.environ['PATH']}")
    return found
