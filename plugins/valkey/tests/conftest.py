"""The real valkey-server for these tests: the machine's, or infra/build/valkey-server.sh's.

The cache of that script may lie where only its owner can walk, while the server runs as somebody
else: it is copied to a place that everybody can walk to.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

CACHE = Path(os.environ.get("WEIGHHOUSE_CACHE") or Path.home() / ".cache" / "weighhouse")


@pytest.fixture(autouse=True, scope="session")
def valkey() -> Iterator[None]:
    """Put it first on PATH; without any, the tests fail and name the package."""
    named = os.environ.get("WEIGHHOUSE_VALKEY")
    kept = [Path(named)] if named else sorted((CACHE / "valkey").glob("[0-9]*"), reverse=True)
    if shutil.which("valkey-server") or not kept:
        yield
        return
    with tempfile.TemporaryDirectory(prefix="weighhouse-valkey-") as directory:
        shutil.copy2(kept[0] / "valkey-server", directory)
        Path(directory).chmod(0o755)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("PATH", directory, prepend=os.pathsep)
            yield
