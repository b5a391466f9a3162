"""Remembers what executables say of themselves, by the digest of their file.

The same file gives the same answer, so that it is asked once on a machine and not at each start of
an agent. That does not hold of a script, whose text says little of what it loads: it is asked each
time. What is remembered lies in `descriptions` in `$WEIGHHOUSE_CACHE`, or `~/.cache/weighhouse`,
and may be removed at any time: an entry that is not whole counts as none, and several processes
may read and write at once.
"""

import contextlib
import hashlib
import os
from collections.abc import Callable, Sequence
from pathlib import Path

CACHE_VARIABLE = "WEIGHHOUSE_CACHE"
"""Environment variable: the directory of what can be made again."""
NATIVE = b"\x7fELF"
DIGEST_LENGTH = 64


def descriptions_directory() -> Path:
    """Where answers are kept; makes nothing."""
    named = os.environ.get(CACHE_VARIABLE)
    return (Path(named) if named else Path.home() / ".cache" / "weighhouse") / "descriptions"


def remembered(
    executable: Path,
    arguments: Sequence[str],
    ask: Callable[[], bytes],
    directory: Path | None = None,
) -> bytes:
    """What an executable answers to some arguments.

    :param ask: runs it; what it raises is not remembered.
    :param directory: default: `descriptions_directory()`.
    """
    place = directory or descriptions_directory()
    try:
        digest = _digest(executable, place)
    except OSError:
        digest = None
    if digest is None:
        return ask()
    question = hashlib.sha256("\0".join(arguments).encode()).hexdigest()[:16]
    entry = place / f"{digest}-{question}"
    known = _read(entry)
    if known is None:
        known = ask()
        _write(entry, known)
    return known


def _digest(executable: Path, place: Path) -> str | None:
    """Of a native executable's content; None for a script. Reading it whole is saved where the file
    is known by where it lies on disk, its size and its last changes.
    """
    with executable.open("rb") as file:
        if file.read(len(NATIVE)) != NATIVE:
            return None
        stat = os.fstat(file.fileno())
        identity = (stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns)
        index = place / f"file-{hashlib.sha256(repr(identity).encode()).hexdigest()[:32]}"
        known = _read(index)
        if known is not None and len(known) == DIGEST_LENGTH:
            return known.decode("ascii", errors="replace")
        file.seek(0)
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    _write(index, digest.encode())
    return digest


def _read(entry: Path) -> bytes | None:
    """An entry's content; None when there is none, or it is not whole."""
    try:
        sealed = entry.read_bytes()
    except OSError:
        return None
    seal, _, content = sealed.partition(b"\n")
    return content if seal == _seal(content) else None


def _write(entry: Path, content: bytes) -> None:
    """Keep an entry, whole or not at all; one that cannot be kept is asked for again."""
    draft = entry.with_name(f".{entry.name}.{os.getpid()}")
    with contextlib.suppress(OSError):
        entry.parent.mkdir(parents=True, exist_ok=True)
        draft.write_bytes(_seal(content) + b"\n" + content)
        draft.replace(entry)


def _seal(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest().encode()
