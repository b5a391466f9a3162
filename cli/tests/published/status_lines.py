"""The status lines of YCSB as a document of published results, for tables that are made of them."""

import re
from pathlib import Path
from typing import Any

LINE = re.compile(r"(?P<seconds>\d+) sec: \d+ operations; (?:(?P<rate>[\d.]+) current ops/sec)?")
GROUP = re.compile(r"\[([A-Z_-]+): Count=(\d+), (.*?)\]")
COLUMNS = {"99": "p99_us", "99.99": "p9999_us"}


def raw_results(path: Path, side: str, clients: int) -> dict[str, Any]:
    """Its lines that tell a throughput, in the order of the file."""
    columns: dict[tuple[str, str], int] = {}
    intervals = []
    for text in path.read_text(encoding="utf-8").splitlines():
        found = LINE.search(text)
        if found is None or found["rate"] is None:
            continue
        values: dict[int, float] = {}
        for operation, _, inside in GROUP.findall(text):
            for name, value in (one.split("=") for one in inside.split(", ")):
                if name in COLUMNS:
                    at = columns.setdefault((operation, COLUMNS[name]), len(columns))
                    values[at] = float(value)
        row = [values.get(at) for at in range(max(values, default=-1) + 1)]
        line = {"at_seconds": int(found["seconds"]), "throughput": float(found["rate"])}
        intervals.append({**line, "values": row})
    return {
        "version": 1,
        "source": {"title": "raw data"},
        "sides": [{"name": side}],
        "cells": [{
            "side": side, "load": {"clients": clients},
            "columns": [{"operation": operation, "figure": figure}
                        for operation, figure in columns],
            "intervals": intervals,
            "files": [{"name": f"{path.parent.name}/{path.name}", "bytes": path.stat().st_size}],
        }],
    }  # fmt: skip
