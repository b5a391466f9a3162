"""Reads what RocksDB writes of itself into its directory: OPTIONS and LOG."""

import re
from pathlib import Path

SECTION = re.compile(r'^\[(\w+)(?:/\w+)?(?: "default")?\]$')
PREFIXES = {"DBOptions": "db", "CFOptions": "cf", "TableOptions": "table"}
CACHE_CAPACITY = re.compile(r"block_cache_options:\s*\n\s*capacity\s*:\s*(\d+)")


def newest_options(directory: Path) -> Path | None:
    """The OPTIONS file of the last opening; None when there is none."""
    return max(directory.glob("OPTIONS-*[0-9]"), default=None)


def options(directory: Path) -> dict[str, str]:
    """The options RocksDB was opened with, as `db.…`, `cf.…` (the default column family) and
    `table.…`; the capacity of the block cache, which OPTIONS leaves out, from LOG.

    :returns: empty when the directory has no database.
    """
    path = newest_options(directory)
    if path is None:
        return {}
    found: dict[str, str] = {}
    prefix: str | None = None
    for line in path.read_text(encoding="utf-8").splitlines():
        text = line.strip()
        if text.startswith("["):
            section = SECTION.match(text)
            prefix = PREFIXES.get(section.group(1)) if section else None
            continue
        name, equals, value = text.partition("=")
        if prefix and equals:
            found[f"{prefix}.{name}"] = value
    log = directory / "LOG"
    if log.exists():
        capacity = CACHE_CAPACITY.search(log.read_text(encoding="utf-8", errors="replace"))
        if capacity:
            found["table.block_cache.capacity"] = capacity.group(1)
    return found


def version(directory: Path) -> str | None:
    """The version of the library that opened the database last; None when it does not say."""
    path = newest_options(directory)
    if path is None:
        return None
    found = re.search(r"^\s*rocksdb_version=(\S+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return found.group(1) if found else None
