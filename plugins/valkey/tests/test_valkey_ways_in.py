"""Every way in to a Valkey that somebody else started."""

import shutil
import subprocess
from pathlib import Path

import pytest
from weighhouse_plugin_valkey import PLUGIN
from weighhouse_sdk.credentials import Credentials
from weighhouse_sdk.machine.ports import HeldPorts
from weighhouse_sdk.testkit.children import child
from weighhouse_sdk.testkit.resp_ways import WAYS, redis
from weighhouse_sdk.testkit.ways_in import check_reached

WITHOUT_TLS = ("IPv6", "name", "socket")
"""What `infra/build/valkey-server.sh` builds has no TLS."""


@pytest.mark.parametrize("name", WITHOUT_TLS)
def test_it_is_asked_and_loaded(name: str, tmp_path: Path) -> None:
    way, ports = WAYS[name], HeldPorts()
    port = ports.hold(1, way.host)[0]
    ports.release()
    context = way.context("valkey", port, tmp_path, Credentials())
    line = redis(way, port, tmp_path, str(shutil.which("valkey-server")))
    with child(line, stdout=subprocess.DEVNULL):
        check_reached(PLUGIN, context)
