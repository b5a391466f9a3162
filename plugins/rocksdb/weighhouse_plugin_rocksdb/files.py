"""Reads what RocksDB writes of itself into its directory: OPTIONS and LOG."""

import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from weighhouse_protocol.base import Scalar
from weighhouse_sdk.configuration import nested, setting_word

SECTION = re.compile(r'^\[(\w+)(?:/\w+)?(?: "default")?\]$')
PREFIXES = {"DBOptions": "db", "CFOptions": "cf", "TableOptions": "table"}
HEADINGS = {"DBOptions": (), "CFOptions": (), "TableOptions": ("block_based_table_factory",)}
"""Heading of a setting's name → what it stands in, in the text that RocksDB reads."""
LEVELS = re.compile(r"^(Level .*W-Amp.*)$", re.MULTILINE)
SUM = re.compile(r"^ +(Sum .+)$", re.MULTILINE)
STALL = re.compile(r"^Cumulative stall: (\d+):(\d+):([\d.]+) H:M:S, ([\d.]+) percent", re.MULTILINE)
TAIL_BYTES = 65_536
"""Of LOG: more than one report takes."""
CACHE_CAPACITY = re.compile(r"block_cache_options:\s*\n\s*capacity\s*:\s*(\d+)")


def text(settings: Mapping[str, Scalar]) -> str:
    """Settings by the names of OPTIONS, `CFOptions.num_levels`, as `GetOptionsFromString` reads
    them: `num_levels=5;block_based_table_factory={block_restart_interval=8}`.
    """
    found: dict[str, Scalar] = {}
    for name, value in settings.items():
        heading, _, own = name.partition(".")
        own = own.removeprefix("BlockBasedTable.") if heading == "TableOptions" else own
        found[".".join((*HEADINGS[heading], own)) if heading in HEADINGS else name] = value
    return _text(nested(found))


def _text(found: Mapping[str, Any]) -> str:
    return ";".join(
        f"{name}={{{_text(value)}}}"
        if isinstance(value, Mapping)
        else f"{name}={setting_word(value, 'true', 'false')}"
        for name, value in sorted(found.items())
    )


def told_as(name: str, told: Collection[str]) -> str:
    """What of OPTIONS has a setting: itself, or the one that it is a part of.

    :param told: names of options, as `options` has them.
    """
    heading, _, own = name.partition(".")
    own = own.removeprefix("BlockBasedTable.") if heading == "TableOptions" else own
    whole = f"{PREFIXES[heading]}.{own}" if heading in PREFIXES else name
    found = whole
    while found not in told and "." in found:
        found = found.rpartition(".")[0]
    return found if found in told else whole


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


def reported(directory: Path) -> dict[str, float]:
    """What the last report in LOG says of the whole time since the database was opened:
    `write_amplification` (bytes that flushes and compactions wrote for each byte flushed),
    `stalled_seconds` and `stalled_pct` (of the time, writes were slowed down or stopped).

    :returns: empty before the first report.
    """
    try:
        with (directory / "LOG").open("rb") as log:
            log.seek(0, 2)
            log.seek(max(0, log.tell() - TAIL_BYTES))
            text = log.read().decode("utf-8", errors="replace")
    except FileNotFoundError:
        return {}
    found: dict[str, float] = {}
    levels, sums, stalls = LEVELS.findall(text), SUM.findall(text), STALL.findall(text)
    if levels and sums:
        # Columns went and came between versions; the one of sizes has two words, number and unit.
        place, columns = levels[-1].split().index("W-Amp") + 1, sums[-1].split()
        if place < len(columns):  # Else the line is still being written.
            found["write_amplification"] = float(columns[place])
    if stalls:
        hours, minutes, seconds, percent = map(float, stalls[-1])
        found["stalled_seconds"] = hours * 3600 + minutes * 60 + seconds
        found["stalled_pct"] = percent
    return found
