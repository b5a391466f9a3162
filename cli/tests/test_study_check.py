"""`weighhouse study check` over published texts: what is wrong in them is found by general rules.

The texts' figures lie beside the repository, and are read there. What each rule does on figures of
its own is tested where the rule is.
"""

import json
import random
import re
import shutil
from collections import Counter
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner
from weighhouse_cli.commands.study import app
from weighhouse_cli.exits import Exit

from cli.tests.published import figures, remade, status_lines

COLLECTION = figures.SHARED / "published"
STUDIES = Path(__file__).resolve().parents[2] / "experiments/studies"
pytestmark = pytest.mark.skipif(
    not COLLECTION.is_dir(), reason="not run: the published figures do not lie beside this clone"
)
OF = {
    "000": "redis-aerospike-dragonfly", "001": "redis-aerospike-dragonfly",
    "002": "key-value-architectures", "003": "dragonfly-memtier", "004": "aerospike-cassandra",
}  # fmt: skip
RAW = (("aerospike-production", "aerospike", 200), ("cassandra-calibration-400", "cassandra", 400))
# What a row of the collection's own list speaks of → the claim, or the rule and the figure.
CLAIMS = {
    "increase from 1 to 32": "redis-latency-grows", "Redis scaling": "redis-scales",
    "Dragonfly scaling": "dragonfly-scales", "Aerospike scaling": "aerospike-scales",
    "near-linear": "aerospike-near-linear", "more modest": "redis-scales-less",
    "least performance variation": "aerospike-varies-least",
    "most significant performance": "dragonfly-varies-most",
    "performed best": "best-when-writing",
    "marginal improvements": "dragonfly-better-when-balanced",
    "slight latency increase": "redis-slower-when-balanced",
    "effectively doubling": "inserts-double-the-data", "60 test scenarios": "sixty-tests",
    "around 70 us": "redis-at-its-peak", "Memcached about": "memcached-with-the-mean-of-redis",
    "sending SETs": "pipelined-writes", "x3.7 less": "garnet-pipelined",
    "+-3.5 %": "aerospike-steady-either-way", "publicly available": "node-failures-in-the-raw-data",
}  # fmt: skip
ROWS = {
    "WRITE p99.99 avg, Aerospike": ("raw-data", "Aerospike, sustained, 200 clients: INSERT p99.99"),
    "WRITE p99.99 avg, Cassandra": ("recomputed", "Cassandra, sustained, 400 clients: INSERT p99."),
    "UPDATE p99 min": (
        "recomputed",
        "Cassandra, sustained, 400 clients: UPDATE p99 latency, lowes",
    ),
    "table c7gn: write-only mean": (
        "printed-twice",
        "Dragonfly, write-only, 1200 clients, c7gn: M",
    ),
}
KINDS = {"write": "write-only", "read": "read-only", "pipelined read": "read-only"}


def write(folder, documents, claims=lambda given: given):
    for seed, document in documents.items():
        paper = folder / seed
        paper.mkdir(parents=True)
        (paper / "published.json").write_text(json.dumps(document), encoding="utf-8")
        for name in ("claims.yaml", "text.yaml"):
            source = STUDIES / OF[seed] / name
            if source.exists():
                told = claims(yaml.safe_load(source.read_text(encoding="utf-8")))
                (paper / name).write_text(yaml.safe_dump(told), encoding="utf-8")


def with_raw_data(folder):
    """The files as their tool wrote them."""
    for name, _, _ in RAW:
        data = folder / "004" / name
        data.mkdir()
        shutil.copy(figures.SHARED / "benchant" / name / "0_run.txt", data / "0_run.txt")


def check(folder):
    papers = [str(path) for path in sorted(folder.iterdir())]
    ran = CliRunner().invoke(app, ["check", "--json", *papers])
    assert ran.exit_code == Exit.REGRESSION, ran.output
    told = json.loads(ran.stdout)
    assert told["not_read"] == []
    return {Path(one["file"]).parent.name: one["remarks"] for one in told["sources"]}


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    folder = tmp_path_factory.mktemp("texts")
    write(folder, figures.documents(COLLECTION))
    with_raw_data(folder)
    return check(folder)


@pytest.fixture(scope="module")
def listed():
    return json.loads((COLLECTION / "plausibility.json").read_text(encoding="utf-8"))


def spoken_of(one, found):
    """The remarks on what a row of the list speaks of."""
    remarks = found[one["seed"].partition(",")[0]]
    words = one["figure"]
    for part, claim in CLAIMS.items():
        if part in words:
            return [each for each in remarks if each["claim"] == claim]
    for part, (rule, where) in ROWS.items():
        if part in words:
            return [each for each in remarks
                    if each["rule"] == rule and each["where"].startswith(where)]  # fmt: skip
    if words == "closed loop check objective 1":
        return [each for each in remarks if each["rule"] == "raw-data" and each["kind"] == "sound"]
    return [each for each in remarks if each["rule"] == "closed-loop" and same(words, each)]


def same(words, remark):
    """Does a remark speak of the figures that words give?"""
    if told := re.match(r"(\w+), ([\w-]+), (\d+) client\(s\)", words):
        clients = f"{told[3]} client{'' if told[3] == '1' else 's'}"
        return remark["where"] == f"{told[1]}, {told[2]}, {clients}: p99 latency"
    told = re.match(r"(\w+)(?: (c\w+))? (write|read|pipelined read): ([\d.]+)", words)
    assert told, words
    load = "300 clients, pipeline 10" if told[3] == "pipelined read" else "1200 clients"
    where = f"{told[1]}, {KINDS[told[3]]}, {load}, {told[2] or 'c6in'}: Mean latency"
    return remark["where"] == where and told[4] in remark["reason"]


def test_every_error_is_found_with_its_reason(found, listed):
    errors = [one for one in listed if one["severity"] == "error"]
    missed = []
    for one in errors:
        wrong = [each for each in spoken_of(one, found) if each["kind"] == "contradiction"]
        if not wrong or not all(len(each["reason"]) > 20 for each in wrong):
            missed.append(one["figure"])
    assert missed == []
    assert len(errors) == 43


def test_no_sound_figure_is_flagged(found, listed):
    sound = [one for one in listed if one["severity"] == "info"]
    assert len(sound) == 11
    for one in sound:
        about = spoken_of(one, found)
        assert about, f"nothing was held against {one['figure']}"
        assert {each["kind"] for each in about} == {"sound"}, one["figure"]


def test_a_figure_in_ms_that_fits_as_microseconds_is_told(found):
    wrong = [one for one in found["000"] if (one["rule"], one["kind"])
             == ("closed-loop", "contradiction")]  # fmt: skip
    assert len(wrong) == 18
    assert all("plausible as µs in place of ms" in one["reason"] for one in wrong)


def test_nothing_else_contradicts_but_what_the_list_has(found, listed):
    """But two means of a table that break the law as their summaries do, and what follows."""
    told = {
        (each["rule"], each["where"], each["place"])
        for one in listed
        if one["severity"] == "error"
        for seed in one["seed"].split(",")
        for each in spoken_of({**one, "seed": seed}, found)
    }
    again = {"latencies-in-milliseconds", "table-agrees-with-summary"}
    more = [
        each
        for remarks in found.values()
        for each in remarks
        if each["kind"] == "contradiction"
        and (each["rule"], each["where"], each["place"]) not in told
        and each["claim"] not in again
        and not re.fullmatch(r"dragonfly-c\w+-(write|read|pipelined)", each["claim"])
    ]
    tables = [("closed-loop", "table c7gn"), ("closed-loop", "table c7gn")]
    assert sorted((one["rule"], one["place"]) for one in more) == [
        *tables, ("recomputed", "Table 4"),
    ]  # fmt: skip


def test_the_tables_come_out_of_the_raw_data_but_for_four_misprints(found):
    remarks = [one for one in found["004"] if one["rule"] in {"raw-data", "recomputed"}]
    wrong = [one for one in remarks if one["kind"] == "contradiction"]
    assert len(wrong) == 4
    assert sum("likely a copy" in one["reason"] for one in wrong) == 3
    assert sum("follows from the lowest" in one["reason"] for one in wrong) == 1
    sound = [one for one in remarks if one["kind"] == "sound"]
    assert len(sound) + len(wrong) == 70  # 64 of Table 4, the six throughputs of Table 3
    (window,) = [one for one in remarks if one["kind"] == "doubt"]
    assert "but the first 1 and the last 12" in window["reason"]


def test_recomputed_values_are_those_that_others_recomputed(found):
    rows = json.loads((COLLECTION / "benchant-reproduction.json").read_text(encoding="utf-8"))
    theirs = [one for one in rows["rows"] if one["table"] == "T4" and one["system"] == "Aerospike"]
    told = " ".join(one["reason"] for one in found["004"] if one["rule"] == "raw-data")
    ours = [float(one.replace(",", "")) for one in re.findall(r"raw data ([\d,.]+)", told)]
    for one in theirs:
        value = one["recomputed"] * 1e3
        assert any(abs(value - each) <= 0.6 for each in ours), one["metric"]


def test_the_same_errors_are_found_under_other_names_and_numbers(found, tmp_path):
    shuffle = random.Random(36)
    for faster in (0.5, 3.0):
        folder = tmp_path / str(faster)
        texts = {seed: remade.document(one, faster, shuffle)
                 for seed, one in figures.documents(COLLECTION).items()}  # fmt: skip
        write(folder, texts, claims=remade.claims)
        for name, side, clients in RAW:
            path = figures.SHARED / "benchant" / name / "0_run.txt"
            raw = status_lines.raw_results(path, side, clients)
            again = remade.document(raw, faster, random.Random(0))
            (folder / "004" / f"{name}.json").write_text(json.dumps(again), encoding="utf-8")
        for seed, remarks in check(folder).items():
            assert counted(remarks) == counted(found[seed]), seed


def counted(remarks):
    """What was found, without names and numbers; marks in absolute numbers do not scale."""
    absolute = re.compile(r"dragonfly-c|garnet-c|latencies-in|below-ten|below-thirty|redis-mean")
    return Counter(
        (one["rule"], one["kind"], one["claim"])
        for one in remarks
        if not absolute.match(one["claim"]) and not re.search("below", one["claim"])
    )
