"""Published figures that others collected, as documents that the product reads.

The collection has a row for each figure: system, workload, load, metric, statistic, value, unit and
place. What is a figure of a cell becomes one; ratios, numbers of the set-up and words do not, they
are what claims are about.
"""

import json
import re
from pathlib import Path
from typing import Any

SHARED = next(
    (one / "shared/data" for one in Path(__file__).resolve().parents
     if (one / "shared/data/published").is_dir()),
    Path("../shared/data"),
)  # fmt: skip
"""Beside the repository."""
WORKLOADS = {
    "write-only SET": "write-only", "read-only GET": "read-only", "pipelined GET": "read-only",
}  # fmt: skip
LATENCIES = {
    "mean": "mean_us", "p50": "p50_us", "p95": "p95_us", "p99": "p99_us", "p99.9": "p999_us",
    "p99.99": "p9999_us",
}  # fmt: skip
STATISTICS = {
    "min over 10-s intervals": "lowest_of_intervals", "mean over 10-s intervals": "averaged",
    "max over 10-s intervals": "highest_of_intervals", "peak-to-trough": "range_of_intervals",
}  # fmt: skip
THROUGHPUTS = {
    "mean": "unknown", "peak": "unknown", "": "unknown",
    "min": "lowest_of_intervals", "max": "highest_of_intervals",
}  # fmt: skip
TENTHS = {"mean first 10 %": "first tenth", "mean midpoint": "midpoint",
          "mean last 10 %": "last tenth"}  # fmt: skip
BOUNDS = ("'sub-'", "'typically under'", "'above'", "'often exceeding'")
FACTORS = {"ms": 1e3, "us": 1.0, "s": 1e6, "ops/s": 1.0, "M ops/s": 1e6, "MB": 1e6, "KB/s": 1024.0}
OPERATIONS = {"WRITE": "INSERT"}
"""As the tool names what the text calls otherwise."""
CLIENTS = {"aerospike": 200, "cassandra": 400}
"""Of the text that names them once for all of its sustained figures."""


def documents(collection: Path) -> dict[str, dict[str, Any]]:
    """Its sources, each as a document of published results; by their numbers."""
    whole = json.loads((collection / "figures.json").read_text(encoding="utf-8"))
    made = remade(collection)
    found = {}
    for seed, source in whole["sources"].items():
        rows = [row for row in whole["figures"] if row["seed"] == seed]
        found[seed] = document(source, rows, made if seed == "004" else {})
    return found


def remade(collection: Path) -> dict[tuple[str, ...], tuple[float, str]]:
    """What somebody recomputed from files that are not at hand here, by side and figure."""
    rows = json.loads((collection / "benchant-reproduction.json").read_text(encoding="utf-8"))
    ends = {"min": "lowest_of_intervals", "avg": "averaged", "max": "highest_of_intervals",
            "peak-to-trough": "range_of_intervals"}  # fmt: skip
    found = {}
    for row in rows["rows"]:
        if row["system"] != "Cassandra" or not isinstance(row["recomputed"], float):
            continue
        if row["table"] == "T4":
            operation, quantile, end = row["metric"].split(" ")
            key = ("cassandra", operation, LATENCIES[quantile.lower()], ends[end])
            found[key] = (row["recomputed"] * 1e3, row["how"])
        elif row["metric"].startswith("throughput"):
            end = ends[row["metric"].split(" ")[1]]
            end = "unknown" if end == "averaged" else end
            found[("cassandra", "all", "throughput", end)] = (row["recomputed"], row["how"])
    return found


def document(
    source: dict[str, str],
    rows: list[dict[str, Any]],
    made: dict[tuple[str, ...], tuple[float, str]],
) -> dict[str, Any]:
    """One source."""
    cells: dict[tuple[Any, ...], dict[str, Any]] = {}
    sides: dict[str, str] = {}
    for row in rows:
        figure = figure_of(row)
        if figure is None:
            continue
        side = row["system"].lower()
        sides[side] = row["system"]
        how = made.get((side, figure["operation"], figure["figure"], figure["statistic"]))
        figure["operation"] = OPERATIONS.get(figure["operation"], figure["operation"])
        if how is not None and row["stat"] not in TENTHS:
            figure["recomputed"], figure["recomputed_how"] = how[0], how[1][:300]
        workload, load = workload_of(row), load_of(row, side)
        key = (side, workload, json.dumps(load), figure["setting"])
        cell = cells.setdefault(key, {"side": side, "workload": workload, "load": load,
                                      "figures": [], "command": command_of(row)})  # fmt: skip
        cell["figures"].append(figure)
    return {
        "version": 1,
        "source": {
            "title": source["title"][:300], "authors": source["authors"], "date": source["venue"],
            "sponsor": source["sponsor"], "tool": source["tool"], "machines": source["hardware"],
            "raw_data": source["raw_data"], "disclaimer": source["disclaimers"],
        },
        "sides": [{"name": name, "label": label} for name, label in sides.items()],
        "cells": list(cells.values()),
    }  # fmt: skip


def figure_of(row: dict[str, Any]) -> dict[str, Any] | None:
    """A row as a typed figure; None where it is none of a cell."""
    named = name_of(row)
    if named is None or not isinstance(row["value"], int | float):
        return None
    figure, statistic = named
    words = row["qualifier"] if row["qualifier"] in BOUNDS else ""
    value = None if words else row["value"] * FACTORS[row["unit"]]
    machine = re.match(r"server (\w+)\.", row["note"] or "")
    operation = row["workload"].rpartition(", ")[2]
    return {
        "figure": figure,
        "operation": operation if operation in {"READ", "UPDATE", "DELETE", "WRITE"} else "all",
        "value": value,
        "printed": f"{words.strip(chr(39))} {row['value']} {row['unit']}".strip(),
        "statistic": statistic,
        "place": row["location"],
        "setting": machine[1] if machine else "",
    }


def name_of(row: dict[str, Any]) -> tuple[str, str] | None:
    """A figure of the catalogue and its statistic; None where it is none."""
    metric, stat = row["metric"], row["stat"] or ""
    if row["unit"] not in FACTORS or row["system"] == "-" or "/" in row["system"]:
        return None
    quantile, _, rest = stat.partition(" ")
    told = {
        ("throughput", THROUGHPUTS.get(stat) or ("unknown" if stat in TENTHS else None)):
            metric == "throughput",
        (LATENCIES.get(quantile), STATISTICS.get(rest) or ("unknown" if not rest else None)):
            metric == "latency",
        (f"memory_{row['load']}_bytes", "read"):
            metric == "memory" and row["load"] in {"before", "after"},
        ("bytes_per_second", "unknown"): metric == "bandwidth",
    }  # fmt: skip
    return next(((one, how) for (one, how), is_it in told.items() if is_it and one and how), None)


def workload_of(row: dict[str, Any]) -> str:
    """Its workload, without what stands in brackets behind it."""
    if row["metric"] == "memory":
        return "read-heavy"  # the runs whose records are as they were loaded
    if row["seed"] == "004":
        tenth = TENTHS.get(row["stat"])
        failing = row["workload"] == "node failure"
        return "node failure" if failing else f"sustained, {tenth}" if tenth else "sustained"
    name = row["workload"].partition(" (")[0]
    return WORKLOADS.get(name, name)


def load_of(row: dict[str, Any], side: str) -> dict[str, Any]:
    """How many clients; none where the text does not say it."""
    text = row["load"] or ""
    if row["metric"] == "memory":
        return {"clients": 32, "pipeline": 1, "loop": "closed", "label": "32 clients"}
    if row["seed"] == "004" and row["workload"] != "node failure":
        return {"clients": CLIENTS[side], "pipeline": 1, "loop": "closed", "label": text}
    if found := re.match(r"(\d+) (?:client|thread|worker)", text):
        return {"clients": int(found[1]), "pipeline": 1, "loop": "closed", "label": text}
    if found := re.match(r"-t (\d+) -c (\d+)(?:.*--pipeline=(\d+))?", text):
        clients = int(found[1]) * int(found[2])
        return {"clients": clients, "pipeline": int(found[3] or 1), "label": text}
    return {"label": text if text != "not stated" else ""}


def command_of(row: dict[str, Any]) -> str:
    """The command line that the text quotes: its options, and what its summary shows."""
    if not (row["load"] or "").startswith("-t "):
        return ""
    ratio = "1:0" if row["workload"].endswith("SET") else "0:1"
    return f"memtier_benchmark --ratio {ratio} {row['load'].partition(' (')[0]}"
