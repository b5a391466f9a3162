"""Files of the platform, kept as they come: of any size, whole or not at all."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx
from rich.progress import DownloadColumn, Progress, SpinnerColumn, TextColumn, TransferSpeedColumn

from weighhouse_cli.client import Client
from weighhouse_cli.console import ERROR
from weighhouse_cli.exits import CommandFailed, Exit

NAMED = re.compile(r'filename="([^"/\\]+)"')


def saved(client: Client, path: str, query: Mapping[str, Any], output: Path | None) -> Path:
    """Keep what lies at an address; says how much came, and where it is.

    The file is there once all of it has come: what breaks off leaves nothing behind.

    :param output: the file; None: in the working directory, as the platform names it.
    :raises CommandFailed: when it is refused, breaks off, or cannot be written.
    """
    with client.streamed(path, **query) as answer:
        named = NAMED.search(answer.headers.get("Content-Disposition", ""))
        target = output or Path(named.group(1) if named else "export")
        try:
            size = _kept(answer, target)
        except OSError as error:
            raise CommandFailed(Exit.INVALID, f"{target}: {error.strerror or error}") from error
    ERROR.print(f"{target}: {size:,} bytes")
    return target


def _kept(answer: httpx.Response, target: Path) -> int:
    part = target.with_name(f".{target.name}.part")
    try:
        with part.open("wb") as file, _progress() as shown:
            task = shown.add_task(target.name, total=None)
            for piece in answer.iter_bytes():
                file.write(piece)
                shown.advance(task, len(piece))
        size = part.stat().st_size
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
    return size


def _progress() -> Progress:
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        DownloadColumn(),
        TransferSpeedColumn(),
        console=ERROR,
        transient=True,
        disable=not ERROR.is_terminal,
    )
