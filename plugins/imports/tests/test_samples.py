"""What the real tools printed is read with the figures that stand in it, and what they get wrong is
told: the table in samples/README.md says how each was made.
"""

from pathlib import Path

import pytest
from weighhouse_imports.reader import Preview, read_paths
from weighhouse_protocol.published.cells import PublishedCell
from weighhouse_protocol.published.figures import PublishedFigure

SAMPLES = Path(__file__).parent / "samples"


def read(name: str) -> Preview:
    return read_paths([SAMPLES / name])


def cells(name: str) -> dict[str, PublishedCell]:
    preview = read(name)
    assert preview.refused == ()
    assert preview.results is not None
    return {cell.run: cell for cell in preview.results.cells}


def cell(name: str) -> PublishedCell:
    return cells(name)[""]


def figure(cell: PublishedCell, name: str, operation: str = "all") -> PublishedFigure:
    found = cell.figure(name, operation)
    assert found is not None
    return found


def reasons(name: str) -> str:
    return "\n".join(note.reason for note in read(name).notes)


def test_every_sample_is_told_in_the_table() -> None:
    table = (SAMPLES / "README.md").read_text(encoding="utf-8")
    missing = [path.name for path in sorted(SAMPLES.iterdir()) if f"`{path.name}`" not in table]
    assert missing == ["README.md"]


def test_memtier_prints_a_table_and_its_distribution() -> None:
    found = cell("memtier.txt")
    assert (found.load.clients, found.seconds) == (10, 2)
    assert {one.operation for one in found.figures} == {"Sets", "Gets", "all"}


@pytest.mark.parametrize("name", ["memtier-commands.txt", "memtier-commands.json"])
def test_memtier_with_commands_of_somebodys_own(name: str) -> None:
    """Its table has no columns of hits and misses, its JSON a ratio that nobody asked for."""
    found = cell(name)
    assert {one.operation for one in found.figures} == {"Hsets", "Hgets", "all"}
    assert "ratio" not in found.workload


def test_memtiers_mean_of_all_is_cut_in_its_json() -> None:
    whole = figure(cell("memtier-commands.txt"), "mean_us").value
    cut = figure(cell("memtier-commands.json"), "mean_us")
    assert whole is not None
    assert cut.printed.endswith(".0 ms")
    assert cut.value is None
    assert cut.recomputed == pytest.approx(whole, rel=0.001)


def test_memtier_keeps_no_histogram_of_all_of_its_runs() -> None:
    found = cells("memtier-runs.json")["AGGREGATED AVERAGE RESULTS (2 runs)"]
    p99 = figure(found, "p99_us")
    assert (p99.printed, p99.value, p99.statistic) == ("0.007 ms", None, "averaged")
    assert figure(found, "max_us").value is None
    assert "all" not in found.histograms
    assert "the histogram of all is empty" in reasons("memtier-runs.json")


@pytest.mark.parametrize("name", ["memtier-runs.txt", "memtier-runs.json"])
def test_memtiers_best_run_may_be_its_worst(name: str) -> None:
    assert len(cells(name)) == 3
    assert "its best and its worst run are the same one" in reasons(name)


def test_wrk2_tells_percentiles_that_its_spectrum_has_no_row_of() -> None:
    found = cell("wrk2.txt")
    assert (found.load.loop, found.load.clients) == ("open", 10)
    assert figure(found, "p50_us").place == "wrk2.txt:26"
    p99 = figure(found, "p99_us")
    assert (p99.printed, p99.value, p99.place) == ("21.69ms", 21_690, "wrk2.txt:12")
    assert reasons("wrk2.txt") == ""


def test_wrk2_without_latency_tells_a_mean_and_the_greatest() -> None:
    found = cell("wrk2-no-latency.txt")
    assert figure(found, "mean_us").value == pytest.approx(4570)
    assert figure(found, "max_us").value == pytest.approx(48_580)
    assert found.outcomes == {"all": {"OK": 501}}


def test_wrk2_beside_what_it_did_not_correct() -> None:
    found = cell("wrk2-uncorrected.txt")
    assert (found.load.loop, found.seconds) == ("open", 15)
    assert figure(found, "max_us").value == pytest.approx(63_552)
    assert figure(found, "throughput").value == pytest.approx(100.04)
    assert reasons("wrk2-uncorrected.txt") == ""


def test_wrk2_of_a_page_that_is_not_there() -> None:
    preview = read("wrk2-refused.txt")
    assert preview.results is None
    assert preview.refused[0].reason == "all 602 requests failed: nothing was measured"


@pytest.mark.parametrize(
    ("name", "count", "greatest"),
    [
        ("go-ycsb-plain.txt", 9964, 70_655),
        ("go-ycsb-table.txt", 2549, 30_655),
        ("go-ycsb-json.txt", 2549, 28_463),
    ],
)
def test_go_ycsb_in_all_its_layouts(name: str, count: int, greatest: float) -> None:
    found = cell(name)
    assert found.outcomes["READ"] == {"not told": count}
    assert figure(found, "max_us", "READ").value == greatest
    assert found.workload == "read 50 %, update 50 %, uniform"
    assert found.load.clients == 4


def test_go_ycsb_loading() -> None:
    found = cell("go-ycsb-load.txt")
    assert found.workload.startswith("load")
    assert found.outcomes == {"INSERT": {"not told": 500}}


def test_cassandra_stress_in_two_kinds_of_operations() -> None:
    found = cell("cassandra-stress-mixed.txt")
    assert found.workload == "WRITE=1.0, READ=3.0"
    assert found.outcomes == {"READ": {"not told": 102}, "WRITE": {"not told": 35}}
    assert figure(found, "p99_us", "READ").value == pytest.approx(4_714_400)
    assert (found.load.clients, found.load.rate, found.load.loop) == (4, 100, "unknown")
    assert "do not say whether `fixed` or `throttle`" in reasons("cassandra-stress-mixed.txt")


@pytest.mark.parametrize(
    ("name", "last", "many"),
    [("cassandra-stress.txt", 7.4, 8), ("cassandra-stress-mixed.txt", 6.6, 7)],
)
def test_cassandra_stress_tells_a_line_a_second(name: str, last: float, many: int) -> None:
    intervals = cell(name).intervals
    assert len(intervals) == many
    assert intervals[-1].at_seconds == pytest.approx(last, abs=0.5)


def test_latte_at_a_rate() -> None:
    found = cell("latte.json")
    assert (found.load.clients, found.load.rate, found.load.loop) == (4, 100, "open")
    assert found.outcomes == {"all": {"OK": 293}}
    assert figure(found, "p99_us").value == pytest.approx(114_491.391)
    assert figure(found, "throughput").statistic == "sampled"
    assert sum(one.operations or 0 for one in found.intervals) == 293
    assert set(found.histograms) == {"all", "run"}
