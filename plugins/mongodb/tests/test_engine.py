"""WiredTiger itself takes the words that the plugin writes, and the bounds are its own.

The engine alone, as a library: what MongoDB makes of the words is not shown here.
"""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from weighhouse_plugin_mongodb import PLUGIN, engine
from weighhouse_sdk.parameters import declared
from weighhouse_sdk.testkit import at_hand

SCHEMAS = declared(PLUGIN.manifest.parameters)
OPEN = """
import ctypes, sys
library, home, configuration = sys.argv[1:]
opened = ctypes.CDLL(library).wiredtiger_open
sys.exit(opened(home.encode(), None, configuration.encode(), ctypes.byref(ctypes.c_void_p())))
"""
SET = (
    {"eviction_target_percentage": 10, "eviction_trigger_percentage": 11},
    {"eviction_target_percentage": 98, "eviction_trigger_percentage": 99},
    {"eviction_dirty_target_percentage": 1, "eviction_dirty_trigger_percentage": 2},
    {"eviction_dirty_target_percentage": 98, "eviction_dirty_trigger_percentage": 99},
    {"eviction_threads": 1},
    {"eviction_threads": 20},
    {name: schema["default"] for name, schema in SCHEMAS.items() if "x-engine" in schema},
)

Opened = Callable[[str], subprocess.CompletedProcess[str]]


@pytest.fixture
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Opened:
    """Opens a store with MongoDB's threads and more words, and tells how that ended."""
    libraries = sorted(Path("/usr/lib").glob("*/libwiredtiger.so.*"))
    if not libraries:
        reason = "WiredTiger's library is not on this machine; Debian has it as libwiredtiger0"
        at_hand.not_run(request, reason)

    def end(words: str) -> subprocess.CompletedProcess[str]:
        text = f"create,cache_size=64MB,eviction=(threads_min=4,threads_max=4),{words}"
        command = [sys.executable, "-c", OPEN, str(libraries[-1]), str(tmp_path), text]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    return end


@pytest.mark.parametrize("parameters", SET, ids=str)
def test_it_takes_what_the_plugin_writes(parameters: dict[str, int], opened: Opened) -> None:
    ended = opened(engine.text(parameters, SCHEMAS))
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize(
    ("parameters", "because"),
    [
        ({"eviction_target_percentage": 9}, "minimum is 10"),
        ({"eviction_dirty_target_percentage": 0}, "minimum is 1"),
        ({"eviction_threads": 21}, "maximum is 20"),
        ({"eviction_target_percentage": 95}, "target must be lower"),
    ],
    ids=str,
)
def test_it_refuses_what_the_plugin_refuses(
    parameters: dict[str, int], because: str, opened: Opened
) -> None:
    ended = opened(engine.text(parameters, SCHEMAS))
    assert ended.returncode != 0
    assert because in ended.stderr
