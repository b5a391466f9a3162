"""`python -m weighhouse_worker.seeding --manifests FILE`: what `weighhouse dev seed` runs."""

import argparse
import datetime
import json
import sys
from pathlib import Path
from typing import TextIO

from pydantic import TypeAdapter
from weighhouse_backend.kit.settings import Settings
from weighhouse_protocol.manifest import Manifest

from weighhouse_worker.seeding.plan import SCALES
from weighhouse_worker.seeding.seed_writer import sow
from weighhouse_worker.tools import Tools


def main() -> None:
    """Read the command line, and fill the platform that the settings name."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--manifests", type=Path, required=True, help="a JSON list of manifests")
    parser.add_argument("--scale", choices=sorted(SCALES), default="full")
    arguments = parser.parse_args()
    found = TypeAdapter(list[Manifest]).validate_json(arguments.manifests.read_bytes())
    count = sow(
        Tools(Settings()),
        found,
        SCALES[arguments.scale](),
        datetime.datetime.now(tz=datetime.UTC),
        lambda line: _say(sys.stderr, line),
    )
    _say(sys.stdout, json.dumps({"campaigns": count}))


def _say(stream: TextIO, line: str) -> None:
    stream.write(f"{line}\n")
    stream.flush()


if __name__ == "__main__":
    main()
