"""The OpenAPI document as it is served: made once, by a program of its own.

Making it takes some 40 MB that Python gives back in part; a process that serves keeps the bytes
alone (docs/adr/0106).
"""

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock

from fastapi import FastAPI, Response

ADDRESS = "/api/v1/openapi.json"
MAKER = "weighhouse_backend.app.openapi"
"""Named, not imported: it makes an application itself."""
PATIENCE_SECONDS = 120


class Described:
    """The document of this program. Safe to share by threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._made: bytes | None = None

    def document(self) -> bytes:
        """As JSON; whoever asks first waits until it is made.

        :raises subprocess.SubprocessError: when it cannot be made; it is tried again.
        """
        with self._lock:
            if self._made is None:
                self._made = _made()
            return self._made


def _made() -> bytes:
    with TemporaryDirectory(prefix="weighhouse-") as folder:
        file = Path(folder) / "openapi.json"
        command = [sys.executable, "-m", MAKER, str(file), "--served"]
        subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE_SECONDS)
        return file.read_bytes()


def install_description(app: FastAPI) -> Described:
    """Serve the document; what serves it, for others to read in."""
    described = Described()

    @app.get(ADDRESS, include_in_schema=False)
    def openapi_document() -> Response:
        return Response(described.document(), media_type="application/json")

    return described
