"""Who may change the network's rules."""

import os
import subprocess
import sys
from pathlib import Path

import weighhouse_protocol
import weighhouse_sdk

ASKED = "from weighhouse_sdk.machine.network.ways import may_change_network as may; print(may())"


def test_somebody_without_the_capability_is_not_asked_for_rules() -> None:
    parts = (weighhouse_sdk, weighhouse_protocol)
    path = os.pathsep.join(str(Path(str(one.__file__)).parents[1]) for one in parts)
    without = ["setpriv", "--bounding-set", "-net_admin", "--inh-caps", "-all"]
    told = subprocess.run(
        [*without, "--", sys.executable, "-c", ASKED],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([path, os.environ.get("PYTHONPATH", "")])},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert told.stdout == "False\n"
