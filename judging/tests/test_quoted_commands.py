"""Command lines of load tools, as texts quote them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from weighhouse_judging.claims.commands import read_command

LINES = [
    ("memtier_benchmark -s host -t 60 -c 20 -n 200000 --ratio 1:0 -d 256",
     {"clients": 1200, "pipeline": 1, "operations": 240e6, "value_bytes": 256,
      "write_share": 1, "read_share": 0}),
    ("memtier_benchmark --threads=4 --clients 50 --pipeline=10 --test-time 30 --ratio 1:9",
     {"clients": 200, "outstanding": 2000, "seconds": 30, "operations": None, "read_share": 0.9}),
    ("memtier_benchmark", {"clients": 200, "pipeline": 1, "read_share": 10 / 11}),
    ("$ /usr/bin/redis-benchmark -h x -c 100 -n 1M -P 16 -d 1024 -t get",
     {"clients": 100, "outstanding": 1600, "operations": 1e6, "value_bytes": 1024,
      "read_share": 1}),
    (("bin/ycsb run redis -s -threads 32 -p operationcount=1000000 -p readproportion=0.95 "
     "-p updateproportion=0.05 -p insertproportion=0 -p fieldcount=10 -p fieldlength=100 "
     "-target 5000"),
     {"clients": 32, "operations": 1e6, "value_bytes": 1000, "read_share": 0.95, "rate": 5000}),
    ("java -cp a.jar site.ycsb.Client -load -threads 8 -p recordcount=500",
     {"clients": 8, "operations": 500, "write_share": 1}),
    ("cassandra-stress mixed ratio\\(write=1,read=3\\) n=100000 -rate threads=64 throttle=900/s",
     {"clients": 64, "operations": 1e5, "read_share": 0.75, "rate": 900}),
    ("cassandra-stress write duration=2m -rate threads=10",
     {"clients": 10, "seconds": 120, "write_share": 1, "operations": None}),
    ("./db_bench --benchmarks=fillseq,fillrandom --num=1000 --threads=4 --value_size=400",
     {"clients": 4, "operations": 4000, "value_bytes": 400, "write_share": 1}),
    ("db_bench --benchmarks=readrandom --reads=10 --duration=60", {"seconds": 60, "read_share": 1}),
]  # fmt: skip


@pytest.mark.parametrize(("line", "asked"), LINES)
def test_what_a_line_asks_for(line, asked):
    found = read_command(line)
    assert found is not None
    for name, value in asked.items():
        assert getattr(found, name) == (None if value is None else pytest.approx(value)), name


@pytest.mark.parametrize("line", ["", "redis-cli ping", "we ran it for an hour", "'unclosed"])
def test_a_line_of_no_tool_is_none(line):
    assert read_command(line) is None


@given(st.text(max_size=300))
def test_no_line_breaks_it(text):
    for tool in ("memtier_benchmark ", "ycsb run ", "cassandra-stress mixed ", "db_bench "):
        assert read_command(tool + text) is not None
