"""PDF by the Chromium of this machine: bookmarks of the headings, vector charts, page numbers.

It is given one file that needs nothing else and forbids scripts: no network, a profile that is
thrown away.
"""

import os
import shutil
import subprocess
import tempfile
import threading
from pathlib import Path

from weighhouse_backend.reports.errors import PdfBusy, PdfNotHere

NAMES = (
    "chromium-headless-shell", "chrome-headless-shell", "chromium", "chromium-browser",
    "google-chrome", "google-chrome-stable", "chrome",
)  # fmt: skip
"""The first that is there: one without windows takes less memory."""
MEND = (
    "install Chromium on the backend's machine (Debian: `apt install chromium-headless-shell`), or "
    "name one in WEIGHHOUSE_CHROMIUM; Print in the browser makes a PDF, too"
)
SECONDS = 60
WAIT_SECONDS = 20.0
MOST_AT_ONCE = 2
"""A Chromium takes some hundred megabytes."""
_TURNS = threading.BoundedSemaphore(MOST_AT_ONCE)


def found(named: str | None) -> str | None:
    """The Chromium there is.

    :param named: by the settings; None: any on the path.
    """
    if named:
        return shutil.which(named)
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def made(html: str, named: str | None) -> bytes:
    """A document as PDF.

    :raises PdfNotHere: when there is no Chromium, or it fails.
    :raises PdfBusy: when as many as may be are under way.
    """
    program = found(named)
    if program is None:
        missing = f"there is no {named}" if named else "no Chromium was found"
        raise PdfNotHere(f"{missing}; {MEND}")
    if not _TURNS.acquire(timeout=WAIT_SECONDS):
        raise PdfBusy(f"{MOST_AT_ONCE} are under way; ask again in some seconds")
    try:
        with tempfile.TemporaryDirectory(prefix="weighhouse-pdf-") as folder:
            return _made(program, html, Path(folder))
    finally:
        _TURNS.release()


def _made(program: str, html: str, folder: Path) -> bytes:
    page, result = folder / "report.html", folder / "report.pdf"
    page.write_text(html, encoding="utf-8")
    command = [
        program, "--headless=new", "--disable-gpu", "--disable-extensions", "--disable-sync",
        "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
        "--no-first-run", "--no-default-browser-check", "--host-resolver-rules=MAP * ~NOTFOUND",
        "--no-pdf-header-footer", "--generate-pdf-document-outline",
        f"--user-data-dir={folder / 'profile'}",
        f"--print-to-pdf={result}",
    ]  # fmt: skip
    if os.geteuid() == 0:  # Chromium's own sandbox does not start for root.
        command.append("--no-sandbox")
    surroundings = {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(folder),
        "LANG": "C.UTF-8",
    }
    try:
        done = subprocess.run(
            [*command, page.as_uri()], env=surroundings, cwd=folder, timeout=SECONDS, check=False,
            stdin=subprocess.DEVNULL, capture_output=True,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise PdfNotHere(f"Chromium made no PDF within {SECONDS} s; ask again, or print") from None
    except OSError as error:
        raise PdfNotHere(f"Chromium did not start: {error.strerror}; {MEND}") from None
    if not result.is_file():
        raise PdfNotHere(f"Chromium made no PDF (exit code {done.returncode}); {MEND}")
    return result.read_bytes()
