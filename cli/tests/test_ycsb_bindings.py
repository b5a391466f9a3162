"""Property files with bindings' options, as people write them: the target that they mean, or the
refusal that names what would be right.
"""

import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from weighhouse_protocol.target import Target
from weighhouse_protocol.ycsb import Translated, YcsbError, experiment_of, text_of, translate
from weighhouse_protocol.ycsb.bindings import BINDINGS, Option
from weighhouse_protocol.ycsb.properties import CORE_KNOWN
from weighhouse_sdk.registry import load_plugin

FILES = Path(__file__).parent / "property_files"
PAGE = Path(__file__).resolve().parents[2] / "docs/ycsb.md"
LEAST = "recordcount=1000\noperationcount=1000\n"
MEANT: dict[tuple[str, str], dict[str, Any]] = {
    ("redis-lab", "redis"): {
        "endpoints": ("tcp://10.20.0.7:6380",), "driver_options": {"timeout_ms": 2500},
    },
    ("redis-here", "keydb"): {"endpoints": ("tcp://localhost:7001",)},
    ("valkey-v6", "valkey"): {"endpoints": ("tcp://[::1]:6379",)},
    ("go-redis", "dragonfly"): {
        "endpoints": ("tcp://10.0.0.5:6379",),
        "driver_options": {"database": 3, "layout": "string"},
    },
    ("cassandra-levels", "cassandra"): {
        "endpoints": ("tcp://10.1.0.1:9142", "tcp://10.1.0.2:9142", "tcp://10.1.0.3:9142"),
        "driver_options": {
            "keyspace": "bench", "read_consistency": "one", "scan_consistency": "one",
            "write_consistency": "local_quorum", "connections_per_node": 4, "timeout_ms": 20000,
            "table": "readings",
        },
    },
    ("cassandra-own", "cassandra"): {
        "deployment": "process",
        "driver_options": {"read_consistency": "one", "scan_consistency": "one"},
    },
    ("scylla", "scylladb"): {
        "endpoints": ("tcp://10.3.0.1:9042", "tcp://10.3.0.2:9042"),
        "driver_options": {
            "read_consistency": "local_one", "scan_consistency": "local_one",
            "write_consistency": "any", "keyspace": "ks1",
        },
    },
    ("mongodb-url", "mongodb"): {
        "endpoints": ("tcp://m1.example:27018", "tcp://m2.example:27017"),
        "driver_options": {
            "insert": "replace", "collection": "people", "replica_set": "rs0", "database": "lab",
            "write_concern": "majority", "read_preference": "secondary_preferred",
        },
    },
    ("mongodb-legacy", "mongodb"): {
        "endpoints": ("tcp://m1.example:27017",),
        "driver_options": {"write_concern": "2", "read_preference": "nearest", "database": "ycsb"},
    },
    ("ferretdb-journaled", "ferretdb"): {
        "endpoints": ("tcp://127.0.0.1:27017",),
        "driver_options": {"journal": "true", "database": "ycsb"},
    },
    ("memcached-pool", "memcached"): {
        "endpoints": ("tcp://c1.example:11211", "tcp://c2.example:11212"),
        "driver_options": {"timeout_ms": 1500, "commands": "text"},
    },
    ("rocksdb-options", "rocksdb"): {
        "deployment": "in_process",
        "parameters": {
            "max_background_jobs": 4, "write_buffer_bytes": 134217728, "compression": "lz4",
            "block_bytes": 8192,
        },
    },
    ("aerospike", "aerospike"): {
        "endpoints": ("tcp://a.example:3100",),
        "driver_options": {"namespace": "test", "total_timeout_ms": 5000},
    },
    ("aerospike-benchant", "aerospike"): {
        "endpoints": ("tcp://10.4.0.1:3000", "tcp://10.4.0.2:3000"),
        "driver_options": {
            "read_mode_ap": "all", "commit_level": "master", "durable_delete": True,
            "connections_per_node": 200, "total_timeout_ms": 9000,
        },
    },
}  # fmt: skip
REFUSED: dict[tuple[str, str], dict[str, str]] = {
    ("redis-account", "redis"): {"redis.password": "--credentials NAME"},
    ("redis-lab", "cassandra"): {
        "redis.host": "no target is of that kind", "redis.port": "no target is of that kind",
        "redis.timeout": "--leave-out", "redis.cluster": "--leave-out",
    },
    ("cassandra-odd", "cassandra"): {
        "cassandra.readconsistencylevel": "driver_options.read_consistency",
        "cassandra.writeconsistencylevel": "LOCAL_QUORUM",
        "cassandra.maxconnections": "driver_options.connections_per_node",
        "cassandra.tracing": "nothing is traced",
        "cassandra.consistency": "did you mean",
    },
    ("cassandra-tls", "cassandra"): {
        "cassandra.username": "--credentials", "cassandra.password": "--credentials",
    },
    ("scylla-lwt", "scylladb"): {"scylla.lwt": "conditional", "scylla.local_dc": "LOCAL_QUORUM"},
    ("mongodb-account", "mongodb"): {"mongodb.url": "`credentials`"},
    ("mongodb-pool", "mongodb"): {"mongodb.url": "`maxPoolSize` behind `?`"},
    ("mongodb-odd", "mongodb"): {
        "mongodb.writeConcern": "driver_options.write_concern", "batchsize": "one operation",
        "mongodb.maxconnections": "driver_options.connections_per_shard",
    },
    ("memcached-odd", "memcached"): {
        "memcached.protocol": "driver_options.commands", "memcached.failureMode": "`Cancel`",
        "memcached.objectExpirationTime": "at most 30 days", "table": "`keyprefix`",
        "memcached.checkOperationStatus": "every answer",
    },
    ("rocksdb-plain", "rocksdb"): {"rocksdb.optionsfile": "`parameters`"},
    ("aerospike-odd", "aerospike"): {
        "as.totaltimeout": "driver_options.total_timeout_ms", "as.usecompression": "compresses",
        "as.connpoolspernode": "driver_options.connections_per_node", "as.user": "--credentials",
        "as.password": "--credentials",
    },
    ("jdbc", "redis"): {"db.driver": "jdbc", "db.url": "jdbc", "columnfamily": "hbase"},
    ("two-systems", "redis"): {"cassandra.readconsistencylevel": "no target is of that kind"},
}  # fmt: skip


def read(name: str, *systems: str, credentials: str | None = None) -> Translated:
    def beside(wanted: str) -> str | None:
        place = FILES / wanted
        return text_of(place.read_bytes(), wanted) if place.is_file() else None

    text = text_of((FILES / f"{name}.properties").read_bytes(), name)
    manifests = [load_plugin(system).manifest for system in systems]
    return translate([(name, text)], beside=beside, systems=manifests, credentials=credentials)


def of_text(text: str, *systems: str, name: str = "w") -> Translated:
    manifests = [load_plugin(system).manifest for system in systems]
    return translate([(name, LEAST + text)], systems=manifests)


@pytest.mark.parametrize(("name", "system"), list(MEANT))
def test_a_file_means_a_target(name: str, system: str) -> None:
    expected = {"deployment": "external", **MEANT[name, system]}
    (target,) = read(name, system).targets
    assert target == Target.model_validate({"name": system, "system": system, **expected})


@pytest.mark.parametrize(("name", "system"), list(REFUSED))
def test_or_it_is_refused_naming_what_would_be_right(name: str, system: str) -> None:
    with pytest.raises(YcsbError) as caught:
        read(name, system)
    found = {one.property: one for one in caught.value.problems}
    assert found.keys() == REFUSED[name, system].keys()
    for property_name, words in REFUSED[name, system].items():
        assert words in found[property_name].message
        assert found[property_name].line
    for secret in ("s3cr3t-w0rd", "hunter2", "joe"):
        assert secret not in f"{caught.value}{caught.value.notes}"


def test_no_file_is_without_its_meaning() -> None:
    named = {name for name, _ in (*MEANT, *REFUSED)}
    assert {path.stem for path in FILES.glob("*.properties")} == named
    assert len(named) >= 20


def test_nothing_of_a_file_is_dropped_in_silence() -> None:
    for name, system in MEANT:
        found = read(name, system)
        (target,) = found.targets
        said = {note.property for note in found.notes}
        text = (FILES / f"{name}.properties").read_text()
        for line in text.splitlines():
            written = re.split(r"\s*[=:]\s*", line, maxsplit=1)[0]
            if "." in written and not line.startswith(("#", "!", "workload")):
                option = option_of(written, system)
                others = {into for into, _ in option.elsewhere.values()}
                inside = {*option.into, *others} & target.driver_options.keys()
                told = written in said or option.does in ("port", "expiry")
                assert inside or told, (name, written)


def option_of(name: str, system: str) -> Option:
    return BINDINGS[load_plugin(system).manifest.driver.id].options[name]


def test_every_driver_option_that_a_binding_becomes_is_one() -> None:
    for system in ("redis", "memcached", "cassandra", "mongodb", "rocksdb", "aerospike"):
        manifest = load_plugin(system).manifest
        declared = manifest.driver.options.get("properties", {})
        for name, option in BINDINGS[manifest.driver.id].options.items():
            for into in option.into:
                assert into in declared, (name, into)
                choices = declared[into].get("enum")
                assert choices is None or set(option.words.values()) <= set(choices), (name, into)


def test_two_systems_take_their_own_options_each() -> None:
    redis, cassandra = read("two-systems", "redis", "cassandra").targets
    assert redis.endpoints == ("tcp://10.0.0.5:6379",)
    assert cassandra.driver_options["read_consistency"] == "two"
    assert cassandra.deployment == "process"


def test_an_account_is_a_name_of_credentials() -> None:
    (target,) = read("cassandra-tls", "cassandra", credentials="bench").targets
    assert (target.credentials, target.endpoints) == ("bench", ("tls://a.example:9042",))
    redis, cassandra = of_two_accounts()
    assert (redis.credentials, cassandra.credentials) == ("bench", None)
    with pytest.raises(YcsbError, match=r"redis\.password: is of a server that is there"):
        translate(
            [("w", f"{LEAST}redis.password=x\n")],
            systems=[load_plugin("redis").manifest], credentials="bench",
        )  # fmt: skip


def of_two_accounts() -> tuple[Target, ...]:
    text = f"{LEAST}redis.host=a.example\nredis.password=x\nhosts=b.example\n"
    manifests = [load_plugin(system).manifest for system in ("redis", "cassandra")]
    return translate([("w", text)], systems=manifests, credentials="bench").targets


def test_a_url_that_names_the_database_admin_means_ycsbs_own() -> None:
    found = of_text("mongodb.url=mongodb://m.example/admin?authSource=admin\n", "mongodb")
    assert found.targets[0].driver_options == {"database": "ycsb", "auth_source": "admin"}
    assert any("names the database admin" in note.message for note in found.notes)


def test_expiry_is_the_workloads_where_memcached_is_alone() -> None:
    assert read("memcached-pool", "memcached").workload.ttl_seconds == 3600
    never = of_text("memcached.objectExpirationTime=2147483647\n", "memcached")
    assert never.workload.ttl_seconds is None
    with pytest.raises(YcsbError, match="take Memcached alone"):
        of_text("memcached.objectExpirationTime=60\n", "memcached", "redis")


NAMES = sorted({*CORE_KNOWN, "db.url", "redis.zz", "", "unheard", *(
    name for binding in BINDINGS.values() for name in binding.options
)})  # fmt: skip
VALUES = [
    "", "0", "1", "-1", "5", "true", "x" * 400, "99999999999999999", "1e400", "nan", "a,b", ",,",
    "::1", "[::1]:5", "h:99999", "tcp://h:1", "mongodb://h/", "mongodb://u:p@h/x?y=z", "zipfian",
    "constant", "histogram", "latest", "uniform", "ONE", "a b", "\\ud83d\\ude00", "2147483647",
    "site.ycsb.workloads.TimeSeriesWorkload",
]  # fmt: skip
SYSTEMS = ["redis", "memcached", "cassandra", "mongodb", "rocksdb", "aerospike"]


@given(
    written=st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(VALUES)), max_size=5),
    systems=st.lists(st.sampled_from(SYSTEMS), max_size=2, unique=True),
    credentials=st.sampled_from([None, "bench", "no name"]),
    beside=st.sampled_from([None, "BlockSize\t3\n0\t5\n", "[DB]\nx", "\0"]),
)
@settings(max_examples=300, deadline=None)
def test_whatever_stands_in_a_file_it_is_a_workload_or_refused(
    written: list[tuple[str, str]], systems: list[str], credentials: str | None, beside: str | None
) -> None:
    text = LEAST + "".join(f"{name}={value}\n" for name, value in written)
    manifests = [load_plugin(system).manifest for system in systems]
    with suppress(YcsbError):
        found = translate(
            [("w", text)], beside=lambda _: beside, systems=manifests, credentials=credentials
        )
        assert [target.system for target in found.targets] == systems


def test_files_of_one_experiment_say_the_same_of_its_targets() -> None:
    one, two = (of_text(f"redis.host={host}.example\n", "redis", name=host) for host in "ab")
    same = of_text("redis.host=a.example\n", "redis", name="c")
    found = experiment_of([one, same], slug="s")
    assert [workload.name for workload in found.workloads] == ["a", "c"]
    assert found.targets[0].endpoints == ("tcp://a.example:6379",)
    assert found.phases.measure_operations == 1000
    with pytest.raises(YcsbError, match="unlike options of redis's binding"):
        experiment_of([one, two], slug="s")
    fewer = translate([("w", LEAST)], {"threadcount": "5"}, systems=[load_plugin("redis").manifest])
    with pytest.raises(YcsbError, match="threadcount: differs"):
        experiment_of([of_text("", "redis"), fewer], slug="s")


def test_the_page_has_the_table_of_the_code() -> None:
    page = PAGE.read_text()
    found = page.partition("<!-- bindings -->\n")[2].partition("<!-- /bindings -->")[0]
    assert found == table(), f"docs/ycsb.md should have:\n{table()}"


def table() -> str:
    lines = []
    for binding in BINDINGS.values():
        lines += [f"\n### {binding.names}\n", "| option | here |", "| --- | --- |"]
        grouped: dict[str, list[str]] = {}
        for name, option in binding.options.items():
            grouped.setdefault(option.becomes, []).append(f"`{name}`")
        lines += [f"| {', '.join(names)} | {becomes} |" for becomes, names in grouped.items()]
    return "\n".join(lines) + "\n\n"
