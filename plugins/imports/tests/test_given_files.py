"""The real results of others are imported with the figures that their manifest expects, or refused
by name. The manifest knows the figures; no importer knows a file's name.
"""

import re
from pathlib import Path
from typing import Any

import pytest
from weighhouse_imports.importer import Told
from weighhouse_imports.reader import Preview, read_paths
from weighhouse_protocol.published.cells import PublishedCell
from weighhouse_testing.given_results import entries, path_of

pytestmark = pytest.mark.usefixtures("here")
BY_FORMAT: dict[str, list[dict[str, Any]]] = {}
for _entry in entries():
    BY_FORMAT.setdefault(_entry["format"], []).append(_entry)
FAILURES = ("-FAILED", "-ERROR")


def of(kind: str) -> Any:
    """A test for each entry of a format; one test that says that none is here, where none is."""
    found = BY_FORMAT.get(kind) or [{"file": "none is here"}]
    return pytest.mark.parametrize("entry", found, ids=lambda one: one["file"][-40:])


def read(entry: dict[str, Any], told: Told | None = None) -> Preview:
    """A file, whose name says nothing."""
    return read_paths([path_of(entry)], None, told or Told())


def cell_of(preview: Preview) -> PublishedCell:
    assert preview.refused == ()
    assert preview.results is not None
    (cell,) = preview.results.cells
    return cell


def printed(cell: PublishedCell, figure: str, operation: str = "all") -> float:
    found = cell.figure(figure, operation)
    assert found is not None, f"{figure} of {operation}"
    match = re.match(r"-?[\d.]+(?:[eE][+-]?\d+)?", found.printed)
    assert match is not None
    return float(match[0])


@of("ycsb")
def test_ycsb(entry: dict[str, Any]) -> None:
    cell = cell_of(read(entry))
    expected = entry["expected"]
    if expected["runtime_ms"] is not None:
        assert cell.seconds == pytest.approx(expected["runtime_ms"] / 1e3)
        assert printed(cell, "throughput") == expected["overall_throughput_as_printed"]
        made = cell.figure("throughput")
        assert made is not None
        assert made.recomputed == pytest.approx(
            expected["throughput_recomputed_from_sum"], abs=0.001
        )
        total = sum(n for codes in cell.outcomes.values() for n in codes.values())
        assert total == expected["sum_ok_plus_failed_of_READ_UPDATE_INSERT_SCAN_DELETE"]
    assert len(cell.intervals) >= expected["status_lines"]
    if expected["status_lines"]:
        assert cell.intervals[-1].at_seconds == expected["last_status_sec"]
        counted = sum(one.operations or 0 for one in cell.intervals)
        assert counted == expected["last_status_ops"]
    for name, told in expected["ops"].items():
        for key, value in told.items():
            match = re.fullmatch(r"(avg|max|p[\d.]+)_(us|ms)", key)
            if match is None:
                continue
            figure = {"avg": "mean_us", "max": "max_us"}.get(
                match[1], f"{match[1].replace('.', '')}_us"
            )
            assert printed(cell, figure, name) == pytest.approx(value, abs=0.001)
        for code, many in told.get("returns", {}).items():
            assert cell.outcomes[name][code] == many
        if name.endswith(FAILURES):
            assert name not in cell.outcomes, "a row of failures is no operation of its own"


@of("go-ycsb")
def test_go_ycsb(entry: dict[str, Any]) -> None:
    cell = cell_of(read(entry))
    for name, told in entry["expected"]["last_line_per_op"].items():
        operation = "all" if name == "TOTAL" else name
        assert printed(cell, "throughput", operation) == told["ops"]
        if operation != "all":
            assert cell.outcomes[name] == {"not told": told["count"]}
        for key, value in told.items():
            if match := re.fullmatch(r"([\d.]+)th\(us\)", key):
                assert printed(cell, f"p{match[1].replace('.', '')}_us", operation) == float(value)
        assert printed(cell, "mean_us", operation) == float(told["Avg(us)"])
        assert printed(cell, "max_us", operation) == float(told["Max(us)"])
    assert "all" not in cell.outcomes, "TOTAL is the sum of the others"


@of("memtier-json")
def test_memtier(entry: dict[str, Any]) -> None:
    cell = cell_of(read(entry))
    expected = entry["expected"]
    setup = expected["configuration"]
    assert cell.load.clients == setup["clients"] * setup["threads"]
    assert cell.load.pipeline == setup["pipeline"]
    assert cell.seconds == expected["runtime"]["Total duration"] / 1e3
    for name, told in expected["ops"].items():
        operation = "all" if name == "Totals" else name
        if not told["count"]:
            assert cell.figure("throughput", operation) is None
            continue
        if operation != "all":
            assert cell.outcomes[operation] == {"not told": told["count"]}
        for figure, key in (("throughput", "ops_per_sec"), ("mean_us", "avg_ms"),
                            ("max_us", "max_ms"), ("p50_us", "p50"), ("p99_us", "p99"),
                            ("p999_us", "p99.9")):  # fmt: skip
            assert printed(cell, figure, operation) == told[key]
    assert "SET" not in cell.outcomes, "the same operations, told twice"
    columns = {(one.figure, one.statistic) for one in cell.columns}
    assert ("p99_us", "one_connection") in columns
    total = expected["ops"]["Totals"]
    assert len(cell.intervals) == total["time_serie_buckets"]
    assert sum(one.operations or 0 for one in cell.intervals) == total["time_serie_count_sum"]


@of("hgrm")
def test_percentile_tables(entry: dict[str, Any]) -> None:
    preview = read(entry)
    if preview.results is None:
        (refused,) = preview.refused
        assert refused.file
        assert "all 451 requests failed" in refused.reason
        return
    cell = cell_of(preview)
    (table,) = entry["expected"]["tables"]
    for name, figure in (("p50", "p50_us"), ("p99", "p99_us"), ("p99.9", "p999_us")):
        assert printed(cell, figure) == table[name]
    if table["footer"]:
        assert printed(cell, "mean_us") == table["footer"]["Mean"]
        assert printed(cell, "max_us") == table["footer"]["Max"]
    if preview.recognised[0].format == "hdr-table":
        assert all(one.value is None for one in cell.figures), "no unit is told"
        assert sum(cell.outcomes["all"].values()) == table["last_total_count"]
        told = cell_of(read(entry, Told(unit_us=1000.0)))
        found = told.figure("p50_us")
        assert found is not None
        assert found.value == pytest.approx(table["p50"] * 1000)


@of("hlog")
def test_histogram_logs(entry: dict[str, Any]) -> None:
    cell = cell_of(read(entry))
    expected = entry["expected"]
    for tag, told in expected["tags"].items():
        operation = tag
        if tag == "None":
            operation = next(name for name in cell.outcomes if name not in expected["tags"])
        assert sum(cell.outcomes[operation].values()) == told["count"]
        for name in ("p50", "p90", "p99", "p99.9", "p99.99", "max"):
            figure = f"{name.replace('.', '')}_us"
            found = printed(cell, figure, operation)
            rank = told["count"] * float(name.removeprefix("p").replace("max", "100")) / 100
            if rank % 1 < 0.5 and told["count"] < 10_000:
                # The manifest's library rounds the rank of few values down, ours never does.
                assert told[name] * 0.99 <= found <= told["max"]
            else:
                assert found == pytest.approx(told[name], rel=0.01)
        assert printed(cell, "mean_us", operation) == pytest.approx(told["mean"], rel=0.001)
        assert operation in cell.histograms


@of("pgbench")
def test_pgbench(entry: dict[str, Any]) -> None:
    preview = read(entry)
    assert preview.results is not None
    expected = entry["expected"]
    cells = preview.results.cells
    assert [cell.run for cell in cells] == ["warm-up", "run 1", "run 2", "run 3"]
    for number, cell in enumerate(cells):
        assert printed(cell, "throughput") == float(expected["runs"][number]["tps"].split()[0])
        assert printed(cell, "mean_us") == float(expected["latency"][number].split()[0])
        assert cell.outcomes["transaction"] == {"OK": int(expected["transactions"][number])}
        assert cell.load.clients == int(expected["clients"][0])


def together(tmp_path: Path, part: str) -> Path:
    """Files of one run in one folder."""
    for entry in entries():
        if part in entry["file"]:
            name = entry["file"].rpartition("__")[2]
            (tmp_path / name).write_bytes(path_of(entry).read_bytes())
    return tmp_path


def test_clients_of_one_run_add_up(tmp_path: Path) -> None:
    cell = cell_of(read_paths([together(tmp_path, "uniform_mongodb")]))
    assert (cell.load.clients, cell.load.rate) == (300, 15_000)
    parts = [one["expected"] for one in BY_FORMAT["ycsb"] if "uniform_mongodb" in one["file"]]
    found = cell.figure("throughput")
    assert found is not None
    assert found.value == pytest.approx(sum(one["overall_throughput_as_printed"] for one in parts))
    assert cell.outcomes["READ"]["NOT_FOUND"] == sum(
        one["ops"]["READ"]["returns"]["NOT_FOUND"] for one in parts
    )
    p99 = cell.figure("p99_us", "READ")
    assert p99 is not None
    assert (p99.value, p99.low, p99.high) == (None, 23_279, 23_327), "never a mean of percentiles"
    assert "…" in cell.command
    text = next(tmp_path.glob("*_run.txt")).read_text(encoding="utf-8")
    secret = re.search(r"://\w+:([^@]+)@", text)
    assert secret is not None
    assert secret[1] not in cell.model_dump_json(), "a secret of a command line is masked"


def test_histograms_of_clients_merge(tmp_path: Path) -> None:
    folder = together(tmp_path, "hotspot_scylladb")
    (folder / "3_READ.hdr").unlink()
    cell = cell_of(read_paths([folder]))
    found = cell.figure("p99_us", "READ")
    assert found is not None
    assert found.statistic == "merged"
    assert found.value == pytest.approx(14_367, rel=0.001)
    assert "READ" in cell.histograms


def test_raw_files_of_a_study(tmp_path: Path) -> None:
    del tmp_path
    place = path_of(entries()[0]).parents[2] / "benchant"
    preview = read_paths([place / "aerospike-production", place / "cassandra-calibration-400"])
    assert preview.refused == ()
    assert preview.results is not None
    runs = [cell for cell in preview.results.cells if len(cell.intervals) > 100]
    sides = {side.name: side for side in preview.results.sides}
    found = [
        (sides[cell.side].system, sides[cell.side].version, cell.load.clients) for cell in runs
    ]
    assert found == [("aerospike", "8.0.0.4", 200), ("cassandra", "5.0.3", 400)]
    overflowed = runs[1].figure("throughput")
    assert overflowed is not None
    assert overflowed.printed.startswith("-")
    assert overflowed.value is None
    assert overflowed.recomputed is not None
    assert overflowed.recomputed > 90_000
    assert "example-secret" not in preview.results.model_dump_json()
