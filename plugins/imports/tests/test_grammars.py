"""Forms of output that no sample has: written by hand to what the tools' sources print."""

import json

import pytest
from weighhouse_imports.importer import Told
from weighhouse_imports.opened import of_bytes
from weighhouse_imports.reader import Preview, read_files
from weighhouse_protocol.published.cells import PublishedCell
from weighhouse_protocol.published.figures import PublishedFigure


def read(text: str, **told: object) -> Preview:
    return read_files([of_bytes("file", text.encode())], told=Told(**told))


def cells(text: str, **told: object) -> tuple[PublishedCell, ...]:
    preview = read(text, **told)
    assert preview.refused == ()
    assert preview.results is not None
    return preview.results.cells


def figure(cell: PublishedCell, name: str, operation: str = "all") -> PublishedFigure:
    found = cell.figure(name, operation)
    assert found is not None
    return found


def refusal(text: str) -> str:
    preview = read(text)
    assert preview.results is None
    (refused,) = preview.refused
    return refused.reason


YCSB = """[OVERALL], RunTime(ms), {time}
[OVERALL], Throughput(ops/sec), {rate}
[READ], Operations, 1000
[READ], AverageLatency(us), 250.5
[READ], 99thPercentileLatency(us), 900
[READ], Return={code}, 1000
"""


def test_ycsb_of_the_oldest_status_lines() -> None:
    (cell,) = cells(
        " 10 sec: 19960 operations; 1994.81 current ops/sec; [READ AverageLatency(us)=48.06] \n"
        " 20 sec: 40000 operations; 2004 current ops/sec; [READ AverageLatency(us)=47] \n"
        + YCSB.format(time=20000, rate=50.0, code="0")
    )
    assert [one.operations for one in cell.intervals] == [19_960, 20_040]
    assert cell.intervals[0].values == (48.06,)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (YCSB.format(time=-5, rate=1, code="OK"), "a run time of -5 ms"),
        (YCSB.format(time=1000, rate=1000, code="ERROR"), "every operation failed (ERROR)"),
        (YCSB.format(time=1000, rate=1000, code="OK") * 2, "a second result begins here"),
        ("[OVERALL], RunTime(ms), 5\n<<<<<<< HEAD\n", "a merge that Git left"),
        ("20 sec: 5 operations; \n3 sec: 1 operations; \n", "a second result begins here"),
        ("hello", "of no format that is known"),
        ("", "is empty"),
        ('{"configuration": {"run_count": 1}, "ALL STATS": {', "is no whole JSON"),
        ("side,figure,printed\na,p99\n", "has 2 fields, its head 3"),
        ("side,figure,printed,colour\na,p99,3 ms,red\n", "'colour' is not known"),
        ("figures:\n- {side: a, figure: p99, printed: &x 3 ms}\n- *x\n", "not taken"),
    ],
)
def test_what_cannot_be_is_refused_with_its_reason(text: str, said: str) -> None:
    assert said in refusal(text)


def test_names_of_percentiles_that_the_tool_cut_come_from_the_command() -> None:
    head = "Command line: -db site.ycsb.db.RedisClient -p hdrhistogram.percentiles={} -t\n"
    rows = YCSB.format(time=1000, rate=1000, code="OK").replace(
        "[READ], 99thPercentileLatency(us), 900\n",
        "[READ], 99thPercentileLatency(us), 900\n[READ], 100thPercentileLatency(us), 1200\n",
    )
    (cell,) = cells(head.format("99,99.999") + rows)
    assert figure(cell, "p99999_us", "READ").value == 1200
    preview = read(head.format("99") + rows)
    assert preview.results is not None
    assert preview.results.cells[0].figure("p99_us", "READ") is not None
    assert any("cannot be what is meant" in note.reason for note in preview.notes)


GO = {
    "plain": "Run finished, takes 2s\nREAD   - Takes(s): 2.0, Count: 300, OPS: 150.0, Avg(us): 40, "
    "Min(us): 1, Max(us): 900, 50th(us): 30, 99th(us): 200, 99.9th(us): 700\n"
    "READ_ERROR - Takes(s): 2.0, Count: 3, OPS: 1.5, Avg(us): 40, Min(us): 1, Max(us): 90, "
    "50th(us): 30, 99th(us): 20, 99.9th(us): 70\n",
    "table": "Run finished, takes 2s\n+-----------+----------+-------+-------+---------+--------+\n"
    "| OPERATION | TAKES(S) | COUNT |  OPS  | AVG(US) | 99TH(US) |\n"
    "+-----------+----------+-------+-------+---------+--------+\n"
    "| READ      |      2.0 |   300 | 150.0 |      40 |    200 |\n",
    "json": "Run finished, takes 2s\n"
    + json.dumps([{"Operation": "READ", "Takes(s)": "2.0", "Count": "300", "OPS": "150.0",
                   "Avg(us)": "40", "99th(us)": "200"}]),
}  # fmt: skip


@pytest.mark.parametrize("layout", sorted(GO))
def test_go_ycsb_in_all_its_layouts(layout: str) -> None:
    (cell,) = cells(GO[layout])
    assert cell.seconds == 2
    assert figure(cell, "throughput", "READ").value == 150
    assert figure(cell, "p99_us", "READ").value == 200
    assert cell.outcomes["READ"]["not told"] == 300
    if layout == "plain":
        assert cell.outcomes["READ"]["ERROR"] == 3


MEMTIER = """4         Threads
50        Connections per thread
{}

ALL STATS
=====================================================================
Type         Ops/sec     Hits/sec   Misses/sec    Avg. Latency     p50 Latency     p99 Latency   p99.9 Latency       KB/sec
---------------------------------------------------------------------
Sets         1000.00          ---          ---         2.00000         1.90000         5.00000         9.00000       100.00
Gets         9000.00      9000.00         0.00         {}         1.90000         5.00000         9.00000       100.00
Waits           0.00          ---          ---             ---             ---             ---             ---          ---
Totals      {}      9000.00         0.00         {}         1.90000         5.00000         9.00000       200.00
"""  # noqa: E501


def test_memtier_prints_a_table() -> None:
    (cell,) = cells(MEMTIER.format("30        Seconds", "20.0000", "10000.00", "20.00000"))
    assert (cell.load.clients, cell.seconds) == (200, 30)
    assert figure(cell, "p999_us").value == 9_000
    assert figure(cell, "mean_us", "Sets").low == pytest.approx(1999.995)
    assert cell.figure("throughput", "Waits") is None


def test_memtier_with_a_count_is_doubted() -> None:
    text = MEMTIER.format("10000     Requests per client", "20.0000", "6400.00", "20.00000")
    notes = [note.reason for note in read(f"$ memtier_benchmark -n 10000\n{text}").notes]
    assert any("last thread" in reason for reason in notes)
    assert any("is 128.00 requests on the way, and 200 were" in reason for reason in notes)


def test_numbers_that_are_none_are_unknown() -> None:
    told = {"Count": 10, "Ops/sec": 5.0, "Average Latency": 7, "Min Latency": 9.2e15,
            "Percentile Latencies": {"p50.00": 1.5, "p100.00": 9.0}}  # fmt: skip
    document = json.dumps({"configuration": {"run_count": 1, "clients": 1, "threads": 1},
                           "ALL STATS": {"Gets": told, "Totals": told}})  # fmt: skip
    preview = read(document.replace("7,", "-nan,"))
    assert preview.results is not None
    (cell,) = preview.results.cells
    assert cell.figure("mean_us") is None
    assert figure(cell, "min_us").value is None
    said = " ".join(note.reason for note in preview.notes)
    assert "2 numbers are no numbers" in said
    assert "p100.00 is no percentile" in said


def test_redis_benchmark_before_it_had_percentiles() -> None:
    (cell,) = cells(
        "====== GET ======\n  100000 requests completed in 2.00 seconds\n  50 parallel clients\n"
        "  3 bytes payload\n\n98.50% <= 1 milliseconds\n99.00% <= 2 milliseconds\n"
        "100.00% <= 3 milliseconds\n50000.00 requests per second\n"
    )
    assert (figure(cell, "throughput").value, cell.load.clients) == (50_000, 50)
    assert figure(cell, "p99_us").value == 2_000
    p95 = figure(cell, "p95_us")
    assert (p95.value, p95.low, p95.high) == (None, 0, 1_000)
    two = cells('"SET","113378.68"\n"GET","120000.00"\n')
    assert [figure(one, "throughput").value for one in two] == [113_378.68, 120_000]


WRK2 = """Running 30s test @ http://127.0.0.1:80/
  2 threads and 100 connections
  Latency Distribution (HdrHistogram - Recorded Latency)
 50.000%    1.20ms
 99.000%    5.50ms
----------------------------------------------------------
  60000 requests in 30.00s, 10.00MB read
  Socket errors: connect 0, read 1, write 0, timeout 2
Requests/sec:   2000.00
"""


def test_wrk2_is_an_open_loop() -> None:
    preview = read(WRK2)
    assert preview.results is not None
    (cell,) = preview.results.cells
    assert cell.load.loop == "open"
    assert figure(cell, "p99_us").value == 5_500
    assert figure(cell, "throughput").recomputed == 2_000
    assert "3 errors of connections" in preview.notes[0].reason


def test_cassandra_stress_tries_several_thread_counts() -> None:
    results = (
        "Running WRITE with {0} threads for 1000 iteration\n\nResults:\n"
        "Op rate                   :    {1} op/s  [WRITE: {1} op/s]\n"
        "Latency mean              :    0.6 ms [WRITE: 0.6 ms]\n"
        "Latency 99th percentile   :    1.2 ms [WRITE: 1.2 ms]\n"
        "Total partitions          :  1,000,000 [WRITE: 1,000,000]\n"
        "Total errors              :          0 [WRITE: 0]\n"
        "Avg GC time               :    NaN ms\n"
        "Total operation time      : 00:02:27\n\n"
    )
    found = cells(results.format(4, "6,778") + results.format(8, "11,775"))
    assert [one.load.clients for one in found] == [4, 8]
    assert [figure(one, "throughput", "WRITE").value for one in found] == [6_778, 11_775]
    p99 = figure(found[0], "p99_us")
    assert (p99.low, p99.high) == (pytest.approx(1_150), pytest.approx(1_250))
    assert found[0].outcomes == {"WRITE": {"not told": 1_000_000}}
    assert found[0].seconds == 147


def test_latte_writes_json() -> None:
    mean = {"n": 5, "value": 2.0, "std_err": None}
    latency = {"mean": mean, "percentiles": [mean] * 15, "histogram": "none"}
    document = {
        "conf": {"workload": "w.rn", "threads": 2, "concurrency": 16, "rate": 500.0},
        "result": {"elapsed_time_s": 10.0, "cycle_count": 5000, "error_count": 2,
                   "cycle_throughput": {"n": 5, "value": 500.0, "std_err": 1.0},
                   "cycle_latency": latency, "cycle_latency_by_fn": {"run": latency},
                   "log": [{"time_s": 0.0, "duration_s": 1.0, "cycle_count": 500,
                            "cycle_throughput": 500.0, "cycle_latency": latency}]},
    }  # fmt: skip
    (cell,) = cells(json.dumps(document))
    assert (cell.load.clients, cell.load.rate, cell.load.loop) == (32, 500, "open")
    assert figure(cell, "p99_us", "run").value == 2_000
    assert cell.outcomes["all"] == {"OK": 4998, "errors": 2}


def test_what_is_typed_keeps_its_unit_and_its_rounding() -> None:
    head = "side,figure,printed,unit,statistic,clients\n"
    rows = ("A,throughput,6.43,M ops/s,counted,60", 'A,p99,"0,9 ms",,merged,60',
            "A,p50,12,,unknown,60", "A,memory,1.5 GiB,,read,60")  # fmt: skip
    preview = read(head + "\n".join(rows))
    assert preview.results is not None
    (cell,) = preview.results.cells
    rate = figure(cell, "throughput")
    assert (rate.value, rate.low, rate.high) == (
        pytest.approx(6_430_000), pytest.approx(6_425_000), pytest.approx(6_435_000),
    )  # fmt: skip
    assert figure(cell, "p99_us").value == pytest.approx(900)
    assert figure(cell, "p50_us").value is None
    assert figure(cell, "memory_after_bytes").value == pytest.approx(1.5 * 2**30)
    (note,) = preview.notes
    assert note.level == "unknown"
    assert "no unit" in note.reason


def test_a_log_without_a_unit_is_told_one() -> None:
    histogram = "HISTFAAAAEV42pNpmSzMwMCgyAABTBDKT4GBgdnNYMcCBvsPEBEJISEuATEZMQ4uASkhIR4nrxg9v2lMaxhvMekILGZkKmcCAEf2CsI="  # noqa: E501
    text = f"#[Histogram log format version 1.3]\n0.127,1.007,2.769,{histogram}\n"
    (cell,) = cells(text)
    assert figure(cell, "max_us").value is None
    assert cell.histogram_unit_us is None
    (cell,) = cells(text, unit_us=1e-3)
    assert figure(cell, "max_us").value == pytest.approx(2_769, rel=0.01)
