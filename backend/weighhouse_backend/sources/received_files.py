"""Has files that somebody sent read by a program of its own, a few at a time."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from shutil import copyfileobj
from typing import Annotated

import structlog
from anyio import CapacityLimiter, fail_after, to_thread
from fastapi import Depends, FastAPI, Query, Request

from weighhouse_backend.files.uploads import Upload, UploadDep
from weighhouse_backend.identity.access import recognize
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.sources.errors import FilesRefused, ImportsBusy

READERS = 2
"""Files that one process has read at a time."""
WAIT_SECONDS = 20.0
"""For a turn; after it the caller is asked to come again."""
READ_SECONDS = 150
"""The longest that reading may take."""
PROGRAM = "weighhouse_backend.sources.reader"
KEPT = ("PATH", "HOME", "LANG", "TZ", "TMPDIR", "PYTHONPATH")
"""Variables that it gets; none of the platform's settings is among them."""
ALONE = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}

log = structlog.get_logger(__name__)
FileName = Annotated[
    str, Query(max_length=200, description="What the file is called; archives are unpacked")
]
FormatName = Annotated[
    str, Query(max_length=63, alias="format", description="Recognised when left out")
]


async def _understood(
    request: Request, content: UploadDep, name: FileName = "file", form: FormatName = ""
) -> bytes:
    # Who asks is known before anything is begun for them; what they may is asked afterwards.
    async with request.app.state.session_turns:
        await to_thread.run_sync(_recognized, request)
    turns = _turns(request.app)
    try:
        with fail_after(WAIT_SECONDS):
            await turns.acquire_on_behalf_of(request)
    except TimeoutError:
        raise ImportsBusy(
            "others have files read just now; try again in a minute", headers={"Retry-After": "30"}
        ) from None
    try:
        return await to_thread.run_sync(_read, content, name, form)
    finally:
        turns.release_on_behalf_of(request)


UnderstoodDep = Annotated[bytes, Depends(_understood)]
"""What the body's file came to, as JSON of a preview; it is known before anything of the database
is held."""


def _turns(app: FastAPI) -> CapacityLimiter:
    found: CapacityLimiter | None = getattr(app.state, "import_turns", None)
    if found is None:
        found = app.state.import_turns = CapacityLimiter(READERS)
    return found


def _recognized(request: Request) -> None:
    with unit_of_work(request.app.state.session_factory) as session:
        recognize(request, session)


def _read(content: Upload, name: str, form: str) -> bytes:
    """:raises FilesRefused: when it took too long, or too much memory."""
    with tempfile.TemporaryDirectory(prefix="weighhouse-import-") as folder:
        sent = Path(folder, "sent")
        sent.mkdir()
        file, answer = sent / _safe(name), Path(folder, "answer")
        with file.open("wb") as target:
            copyfileobj(content.file, target)
        kept = {one: os.environ[one] for one in KEPT if one in os.environ}
        environment = {**kept, **ALONE, "TMPDIR": folder, "PYTHONPATH": os.pathsep.join(sys.path)}
        try:
            done = subprocess.run(
                [sys.executable, "-m", PROGRAM, str(answer), form, str(file)],
                stdin=subprocess.DEVNULL, capture_output=True, timeout=READ_SECONDS, check=False,
                env=environment, cwd=folder, start_new_session=True,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise FilesRefused(
                f"reading it took longer than {READ_SECONDS} s; give fewer files at a time"
            ) from None
        if done.returncode or not answer.is_file():
            said = done.stderr[-500:].decode(errors="replace")
            log.warning("import_failed", status=done.returncode, said=said)
            raise FilesRefused(
                "reading it took more memory or time than it may; give fewer files at a time, or "
                "read them with `weighhouse import` on your own machine and send what comes out"
            )
        return answer.read_bytes()


def _safe(name: str) -> str:
    """The last part of a name, as a file of that name may be made."""
    last = name.replace("\\", "/").rpartition("/")[2].replace("\0", "").strip(". ")
    return last.encode()[:200].decode(errors="ignore") or "file"
