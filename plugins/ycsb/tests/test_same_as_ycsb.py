"""What property files ask a database for: by YCSB's own workload, and by the experiment made of
them.

YCSB's side are its classes, which read the files themselves, above a stand-in that prints each
call; ours is the driver on a real Redis, which tells of each command.
"""

import os
import re
import socket
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from scipy import stats
from weighhouse_plugin_ycsb.installed import home
from weighhouse_protocol.driver import DriverOrder, DriverTarget
from weighhouse_protocol.load import Phase
from weighhouse_protocol.ycsb import translate
from weighhouse_sdk.context import Context
from weighhouse_sdk.driver import DriverRun
from weighhouse_sdk.lifecycle import Deployed
from weighhouse_sdk.registry import load_plugin

SOURCE = Path(__file__).parent / "stand-in/Drawn.java"
CHANCE = 1e-6
"""Of a difference that is none."""
FEW = 25
"""Draws of a value in both, below which it is taken together with others."""
CORE = "workload=site.ycsb.workloads.CoreWorkload\n"
MANY = f"{CORE}recordcount=500\noperationcount=4000\nfieldcount=2\nfieldlength=8\n"
FILES = {
    "workloada": "readproportion=0.5\nupdateproportion=0.5\nrequestdistribution=zipfian\n",
    "workloadb": "readproportion=0.95\nupdateproportion=0.05\nrequestdistribution=zipfian\n",
    "workloadc": "readproportion=1\nupdateproportion=0\nrequestdistribution=zipfian\n",
    "workloadd": "readproportion=0.95\nupdateproportion=0\ninsertproportion=0.05\n"
    "requestdistribution=latest\n",
    "workloade": "readproportion=0\nupdateproportion=0\nscanproportion=0.95\n"
    "insertproportion=0.05\nrequestdistribution=zipfian\nmaxscanlength=20\n",
    "workloadf": "readproportion=0.5\nupdateproportion=0\nreadmodifywriteproportion=0.5\n"
    "requestdistribution=zipfian\n",
    "hotspot": "readallfields=false\nwriteallfields=true\nrequestdistribution=hotspot\n"
    "hotspotdatafraction=0.1\nhotspotopnfraction=0.7\nfieldnameprefix=f\nupdateproportion=0.5\n",
    "exponential": "requestdistribution=exponential\nexponential.percentile=80\n"
    "exponential.frac=0.3\nfieldlengthdistribution=uniform\nminfieldlength=3\nfieldlength=12\n"
    "updateproportion=1\n",
    "sequential": "requestdistribution=sequential\ninsertorder=whatever\nzeropadding=9\n"
    "fieldlengthdistribution=zipfian\nfieldlength=6\nwriteallfields=TRUE\n",
    "slice": "requestdistribution=uniform\ninsertstart=100\ninsertcount=150\n"
    "readallfieldsbyname=true \n",
    "scans": "readproportion=0\nupdateproportion=0\nscanproportion=1\nminscanlength=3\n"
    "maxscanlength=12\nscanlengthdistribution=zipfian\nrequestdistribution=uniform\n",
    "written-oddly": "! no property: recordcount=7\nread\\\nproportion : 3\nupdateproportion 1.0d\n"
    "requestdistribution\\u003d=x\nrequest\\u0064istribution = zip\\\n    fian\nfieldcount=+3\n",
}
SERIES = """
workload=site.ycsb.workloads.TimeSeriesWorkload
recordcount=240
operationcount=10
fieldcount=4
fieldlength=5
tagcount=3
tagcardinality=1,3,2
tagkeylength=3
tagvaluelength=4
delayedseries=0.0
delayedSeries=0.5
timestampinterval=30
randomtimeseriesorder=false
insertstart=1500000000
readproportion=1
updateproportion=0
"""


@dataclass
class Asked:
    """What one side asks of a database."""

    loaded: list[tuple[str, str]] = field(default_factory=list)
    """Key, and lengths by field."""
    calls: list[tuple[str, str, str]] = field(default_factory=list)
    """Kind, key, and lengths or fields or how many."""

    def of(self, *kinds: str) -> list[tuple[str, str, str]]:
        return [call for call in self.calls if call[0] in kinds]

    def ages(self, *kinds: str) -> list[str]:
        """How many records were newer than that of each call, when it was made."""
        numbers = {key: number for number, (key, _) in enumerate(self.loaded)}
        found = []
        for kind, key, _ in self.calls:
            number = numbers.setdefault(key, len(numbers))
            if kind in kinds:
                found.append(str(len(numbers) - 1 - number))
        return found


@pytest.fixture(scope="module")
def theirs(context: Context, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Asked]:
    """By YCSB: file → what it asks for."""
    folder = tmp_path_factory.mktemp("drawn")
    libraries = f"{home()[0]}/lib/*"
    subprocess.run(["javac", "-cp", libraries, "-d", str(folder), str(SOURCE)], check=True)
    names = []
    for name, text in texts().items():
        (folder / name).write_text(text, encoding="iso-8859-1")
        names.append(name)
    path = f"{libraries}{os.pathsep}{folder}"
    done = subprocess.run(
        ["java", "-XX:TieredStopAtLevel=1", "-cp", path, "Drawn", *names],
        cwd=folder, capture_output=True, text=True, check=True,
    )  # fmt: skip
    found: dict[str, Asked] = {}
    loading = True
    for line in done.stdout.splitlines():
        kind, key, detail = (*line.split(" ", 2), "")[:3]
        if kind in ("load", "run"):
            loading = kind == "load"
            name = key
            found.setdefault(name, Asked())
        elif loading:
            found[name].loaded.append((key, detail))
        else:
            found[name].calls.append((kind, key, detail))
    return found


def texts() -> dict[str, str]:
    return {**{name: MANY + text for name, text in FILES.items()}, "series": SERIES}


def java_hash(text: str) -> int:
    found = 0
    for letter in text:
        found = (31 * found + ord(letter)) & 0xFFFFFFFF
    return found - (1 << 32) if found >= 1 << 31 else found


@contextmanager
def commands(redis: Deployed) -> Iterator[list[list[str]]]:
    """What the server is told meanwhile, by whoever; values stand as their lengths."""
    found: list[list[str]] = []
    port = urlsplit(redis.endpoints[0]).port
    with (
        socket.create_connection(("127.0.0.1", port)) as teller,
        socket.create_connection(("127.0.0.1", port)) as asker,
    ):
        teller.sendall(b"MONITOR\r\n")
        lines = teller.makefile("rb")
        assert next(lines) == b"+OK\r\n"
        asker.sendall(b"FLUSHALL\r\n")
        assert asker.recv(5) == b"+OK\r\n"
        yield found
        asker.sendall(b"ECHO that-was-all\r\n")
        for line in lines:
            words = re.findall(rb'"((?:[^"\\]|\\.)*)"', line)
            if words[1:2] == [b"that-was-all"]:
                return
            found.append([word.decode() for word in words])


def length_of(word: str) -> int:
    """Of a value as MONITOR writes it."""
    return len(re.sub(r"\\x..|\\.", "?", word))


def ours(name: str, context: Context, redis: Deployed) -> Asked:
    """By the driver: what the file's workload asks for."""
    manifest = load_plugin("redis").manifest
    text = texts()[name].encode("iso-8859-1").decode("iso-8859-1")
    found = translate([(name, text)], systems=[manifest])
    measured = Phase(kind="measure", operation_count=found.measure_operations)
    order = DriverOrder(
        workload=found.workload,
        target=DriverTarget(
            endpoints=redis.endpoints, options=dict(found.targets[0].driver_options)
        ),
        load=found.load,
        phases=(Phase(kind="load", clients=1), measured),
        seed=7,
    )
    with commands(redis) as told, DriverRun("resp", order, context) as run:
        events = list(run.events())
    assert events[-1].event == "finished", events[-1]
    asked = Asked()
    scores = {}
    loading = found.workload.records_to_load
    for words in told:
        command, key, *rest = (*words, "", "")
        rest = [word for word in rest if word]
        if command in ("HSET", "HMSET"):
            pairs = zip(rest[::2], rest[1::2], strict=True)
            lengths = ",".join(sorted(f"{one}={length_of(value)}" for one, value in pairs))
            scores[java_hash(key)] = key
            if len(asked.loaded) < loading:
                asked.loaded.append((key, lengths))
            else:
                asked.calls.append(("write", key, lengths))
        elif command in ("HGETALL", "HMGET"):
            asked.calls.append(("read", key, ",".join(rest) or "all"))
        elif command in ("ZRANGEBYSCORE", "ZRANGE"):
            score = int(float(rest[0].lstrip("(")))
            asked.calls.append(("scan", scores[score], rest[-1]))
    return asked


def same(one: list[str], other: list[str], what: str) -> None:
    """Two samples of one distribution: chi-square over values that are not rare."""
    counts, others = Counter(one), Counter(other)
    rows: list[tuple[int, int]] = []
    rare = [0, 0]
    for value in counts.keys() | others.keys():
        pair = (counts[value], others[value])
        if sum(pair) >= FEW:
            rows.append(pair)
        else:
            rare = [rare[0] + pair[0], rare[1] + pair[1]]
    if sum(rare) >= FEW:
        rows.append((rare[0], rare[1]))
    if len(rows) < 2:
        return
    found = stats.chi2_contingency(rows, correction=False)
    assert found.pvalue > CHANCE, f"{what}: {found.pvalue}, {sorted(rows, reverse=True)[:8]}"


@pytest.mark.parametrize("name", list(FILES))
def test_a_file_asks_for_what_it_asks_ycsb_for(
    name: str, context: Context, redis: Deployed, theirs: dict[str, Asked]
) -> None:
    mine, yours = ours(name, context, redis), theirs[name]
    assert [key for key, _ in mine.loaded] == [key for key, _ in yours.loaded]
    same(
        [lengths for _, lengths in mine.loaded], [lengths for _, lengths in yours.loaded], "records"
    )
    if "distribution=" not in "".join(re.findall(r"fieldlength\w*=", texts()[name])):
        assert mine.loaded == yours.loaded
    known = {key for key, _ in yours.loaded}
    kinds = ("update", "insert", "write")
    scans = bool(yours.of("scan"))
    for what, of_mine, of_yours in (
        ("reads", [] if scans else mine.of("read"), yours.of("read")),
        ("writes", mine.of(*kinds), yours.of(*kinds)),
        ("scans", mine.of("scan"), yours.of("scan")),
    ):
        assert bool(of_mine) == bool(of_yours), what
        if name == "workloadd":  # Which keys it reads how often goes by when others were added.
            same(mine.ages("read"), yours.ages("read"), "ages")
        else:
            same([key for _, key, _ in of_mine], [key for _, key, _ in of_yours], f"keys of {what}")
        same([each for *_, each in of_mine], [each for *_, each in of_yours], f"sizes of {what}")
        # What is written anew has the numbers that follow, in both.
        fresh = [key for _, key, _ in of_mine if what == "writes" and key not in known]
        added = [key for _, key, _ in of_yours if what == "writes" and key not in known]
        shorter = min(len(fresh), len(added))
        assert sorted(fresh[:shorter]) == sorted(added[:shorter])
    if name == "sequential":
        every = [key for _, key, _ in yours.calls]
        assert [key for _, key, _ in mine.calls] == every
    # Of how many calls there are of a kind, as of one draw each.
    same([kind_of(call) for call in mine.calls if not scans or call[0] != "read"],
         [kind_of(call) for call in yours.calls], "kinds")  # fmt: skip


def kind_of(call: tuple[str, str, str]) -> str:
    return call[0] if call[0] in ("read", "scan") else "write"


def test_time_series_are_loaded_as_ycsbs(
    context: Context, redis: Deployed, theirs: dict[str, Asked]
) -> None:
    """A point is the series' name, the values of its tags, and the moment. In random order, YCSB
    would take values of tags at random, too.
    """
    points = []
    for name, told in theirs["series"].loaded:
        parts = dict(each.split("=") for each in told.split(","))
        values = [value for tag, value in sorted(parts.items()) if not tag.startswith("YCSB")]
        points.append((".".join([name, *values, parts["YCSBTS"]]), parts["YCSBV"]))
    mine = ours("series", context, redis)
    assert [key for key, _ in mine.loaded] == [key for key, _ in points]
    assert {lengths.partition("=")[2] for _, lengths in mine.loaded} == {size for _, size in points}
