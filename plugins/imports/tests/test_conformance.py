"""Every importer that comes with Weighhouse keeps to what an importer has to."""

from pathlib import Path

from weighhouse_imports.formats import (
    cassandra_stress,
    db_bench,
    go_ycsb,
    hdr_log,
    hdr_table,
    latte,
    memtier,
    pgbench,
    redis_benchmark,
    typed,
    wrk2,
    ycsb,
)
from weighhouse_imports.testkit import ImporterConformance

SAMPLES = Path(__file__).parent / "samples"


def samples(*names: str) -> tuple[Path, ...]:
    return tuple(SAMPLES / name for name in names)


class TestYcsb(ImporterConformance):
    importer = ycsb.IMPORTER
    samples = samples("ycsb.txt", "ycsb.json")


class TestHdrLog(ImporterConformance):
    importer = hdr_log.IMPORTER
    samples = samples("ycsb-read.hdr")


class TestHdrTable(ImporterConformance):
    importer = hdr_table.IMPORTER
    samples = samples("table.hgrm")


class TestMemtier(ImporterConformance):
    importer = memtier.IMPORTER
    samples = samples(
        "memtier.json",
        "memtier.txt",
        "memtier-commands.txt",
        "memtier-runs.txt",
        "memtier-runs.json",
    )


class TestRedisBenchmark(ImporterConformance):
    importer = redis_benchmark.IMPORTER
    samples = samples("redis-benchmark.txt", "redis-benchmark.csv", "redis-benchmark-short.txt")


class TestDbBench(ImporterConformance):
    importer = db_bench.IMPORTER
    samples = samples("db_bench.txt")


class TestPgbench(ImporterConformance):
    importer = pgbench.IMPORTER
    samples = samples("pgbench.txt")


class TestCassandraStress(ImporterConformance):
    importer = cassandra_stress.IMPORTER
    samples = samples("cassandra-stress.txt", "cassandra-stress-mixed.txt")


class TestTyped(ImporterConformance):
    importer = typed.IMPORTER
    samples = samples("typed.yaml", "typed.csv")


class TestGoYcsb(ImporterConformance):
    importer = go_ycsb.IMPORTER
    samples = samples(
        "go-ycsb-plain.txt", "go-ycsb-table.txt", "go-ycsb-json.txt", "go-ycsb-load.txt"
    )


class TestWrk2(ImporterConformance):
    importer = wrk2.IMPORTER
    samples = samples("wrk2.txt", "wrk2-no-latency.txt", "wrk2-uncorrected.txt")


class TestLatte(ImporterConformance):
    importer = latte.IMPORTER
    samples = samples("latte.json")
