"""Writes which manifests this release ships: `python -m weighhouse_testing.shipped FILE`.

A platform accepts these by themselves; the backend knows them by their digests alone.
"""

import json
import sys
from pathlib import Path

from weighhouse_backend.catalog.service import digest_of
from weighhouse_sdk.registry import packaged_manifest

from weighhouse_testing.tree import REPOSITORY


def digests() -> dict[str, str]:
    """Plugin of this repository → digest of its manifest."""
    packages = sorted(REPOSITORY.glob("plugins/*/*/plugin.toml"))
    manifests = [packaged_manifest(path.parent.name) for path in packages]
    return {manifest.id: digest_of(manifest) for manifest in manifests}


def main(file: Path) -> None:
    """Write them."""
    file.write_text(json.dumps(digests(), indent=2, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
