"""Options of YCSB's bindings, by the driver of ours that stands for each, and what they become.

Sources: YCSB at d9faaac (redis, memcached, cassandra, scylla, mongodb, rocksdb, aerospike),
benchANT's fork at 53d3b08a (aerospike7, cassandra4), go-ycsb (db/). What is on no table is refused
by its name.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Does = Literal[
    "host", "port", "hosts", "url", "tls", "driver", "account", "expiry", "options_file",
    "nothing", "refused",
]  # fmt: skip
ACCOUNT = "an account never stands in an experiment"
BECOMES: Mapping[Does, str] = {
    "host": "`endpoints`",
    "port": "`endpoints`, the port",
    "hosts": "`endpoints`",
    "url": "`endpoints`, and driver options by its parts",
    "tls": "`endpoints`: `true` is `tls://`",
    "account": f"`credentials`, by `--credentials NAME`; refused without: {ACCOUNT}",
    "expiry": "the workload's `ttl_seconds`",
    "options_file": "`parameters`, as by `weighhouse target from`",
}


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a binding."""

    does: Does
    into: tuple[str, ...] = ()
    """Driver options that its value becomes."""
    words: Mapping[str, str] = field(default_factory=dict)
    """Their word → ours; empty: the value as it is."""
    lowered: bool = False
    """Its words are read in any case."""
    elsewhere: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Their word → another driver option, and its value."""
    harmless: frozenset[str] = frozenset()
    """Of what is refused: values that mean what is so here anyway, in small letters."""
    says: str = ""
    """Why nothing becomes of it, or what would be right."""

    @property
    def becomes(self) -> str:
        """What it becomes, as documentation has it."""
        if self.does == "driver":
            found = " and ".join(f"`driver_options.{name}`" for name in self.into)
            differing = {
                theirs: f"`{ours}`" for theirs, ours in self.words.items() if ours != theirs.lower()
            } | {theirs: f"`{name}: {value}`" for theirs, (name, value) in self.elsewhere.items()}
            said = ", ".join(f"`{theirs}` is {ours}" for theirs, ours in differing.items())
            return f"{found}: {said}" if said else found
        if self.does == "nothing":
            return f"no effect: {self.says}"
        if self.does == "refused":
            but = ", ".join(f"`{value}`" for value in sorted(self.harmless - {""}))
            return f"refused{f', but for {but}' if but else ''}: {self.says}"
        return BECOMES[self.does]


def _driver(*into: str, words: Mapping[str, str] | None = None, lowered: bool = False) -> Option:
    return Option("driver", into, words or {}, lowered)


def _nothing(says: str) -> Option:
    return Option("nothing", says=says)


def _refused(says: str, *harmless: str) -> Option:
    return Option("refused", harmless=frozenset(harmless), says=says)


HOST, PORT, HOSTS, ACCOUNTED = Option("host"), Option("port"), Option("hosts"), Option("account")
READ_LEVELS = {
    name.upper(): name
    for name in (
        "one", "two", "three", "quorum", "all", "local_one", "local_quorum", "each_quorum",
    )
}  # fmt: skip
FALSE = ("false", "")
LETTERS = "the agent's credentials hold authority, certificate and key: `--credentials NAME`"

RESP: Mapping[str, Option] = {
    "redis.host": HOST,
    "redis.port": PORT,
    "redis.password": ACCOUNTED,
    "redis.timeout": _driver("timeout_ms"),
    "redis.cluster": _nothing(
        "the server is asked whether it is one; of servers of its own a target says "
        "`topology.nodes`"
    ),
    "table": _nothing("keys have no table before them, as in YCSB's binding"),
    # go-ycsb
    "redis.addr": HOSTS,
    "redis.username": ACCOUNTED,
    "redis.db": _driver("database"),
    "redis.mode": _nothing("the server is asked whether it is a cluster"),
    "redis.datatype": _driver("layout", words={"hash": "hash", "string": "string"}),
    "redis.tls_ca": _refused(LETTERS, ""),
    "redis.tls_cert": _refused(LETTERS, ""),
    "redis.tls_key": _refused(LETTERS, ""),
    "redis.tls_insecure_skip_verify": _refused("certificates are verified here", *FALSE),
    "redis.read_only": _refused("reads go to primaries", *FALSE),
}
MEMCACHED: Mapping[str, Option] = {
    "memcached.hosts": HOSTS,
    "memcached.opTimeoutMillis": _driver("timeout_ms"),
    "memcached.protocol": _driver("commands", words={"text": "text"}, lowered=True),
    "memcached.objectExpirationTime": Option("expiry"),
    "memcached.failureMode": _refused(
        "keys stay with their server, and what it does not answer is an error, as with `Cancel`: "
        "leave it out",
        "cancel",
    ),
    "memcached.checkOperationStatus": _refused("every answer is looked at: leave it out", "true"),
    "memcached.readBufferSize": _nothing("it is of YCSB's client library"),
    "memcached.shutdownTimeoutMillis": _nothing("it is of YCSB's client library"),
    "table": _refused(
        "keys here have no table before them: `keyprefix` says what they begin with", "usertable"
    ),
}
CQL: Mapping[str, Option] = {
    "hosts": HOSTS,
    "port": PORT,
    "table": _driver("table"),
    # go-ycsb
    "cassandra.cluster": HOSTS,
    "cassandra.connections": _driver("connections_per_node"),
    # benchANT
    "cassandra.useSecureBundle": _refused(LETTERS, *FALSE),
    "cassandra.path": _refused(LETTERS, ""),
    "cassandra.initDefaultTable": _nothing("the driver makes its table"),
    "cassandra.table.columns": _nothing("the table has a column for each of `field_count`"),
    "scylla.hosts": HOSTS,
    "scylla.port": PORT,
    "scylla.lwt": _refused("the driver has no conditional writes", *FALSE),
    "scylla.local_dc": _refused(
        "requests go to all data centres of `endpoints`; what YCSB makes of it otherwise is "
        "`cassandra.readconsistencylevel=LOCAL_QUORUM`, the same for writes",
        "",
    ),
    **{
        f"{binding}.{name}": option
        for binding in ("cassandra", "scylla")
        for name, option in {
            "keyspace": _driver("keyspace"),
            "username": ACCOUNTED,
            "password": ACCOUNTED,
            "readconsistencylevel": _driver(
                "read_consistency", "scan_consistency", words=READ_LEVELS
            ),
            "writeconsistencylevel": _driver(
                "write_consistency", words={"ANY": "any", **READ_LEVELS}
            ),
            "coreconnections": _driver("connections_per_node"),
            "maxconnections": _driver("connections_per_node"),
            "readtimeoutmillis": _driver("timeout_ms"),
            "connecttimeoutmillis": _nothing(
                "connections are made before the load, in the driver's own time; an operation's "
                "time is `driver_options.timeout_ms`"
            ),
            "tracing": _refused("nothing is traced: leave it out", *FALSE),
            "useSSL": Option("tls"),
        }.items()
    },
}
BATCHES = "an insert is one operation here, and is acknowledged by itself: leave it out"
MONGODB: Mapping[str, Option] = {
    "mongodb.url": Option("url"),
    "mongodb.database": _driver("database"),
    "mongodb.upsert": _driver("insert", words={"true": "replace", "false": "insert"}, lowered=True),
    "mongodb.writeConcern": Option(
        "driver",
        ("write_concern",),
        words={"acknowledged": "1", "replica_acknowledged": "2", "majority": "majority"},
        lowered=True,
        elsewhere={"journaled": ("journal", "true")},
    ),
    "mongodb.readPreference": _driver(
        "read_preference",
        words={
            name: name
            for name in (
                "primary", "primary_preferred", "secondary", "secondary_preferred", "nearest",
            )
        },
        lowered=True,
    ),
    "mongodb.maxconnections": _refused(
        "YCSB's threads share one pool, and clients here one in each of the driver's own threads: "
        "its size is `driver_options.connections_per_shard`"
    ),
    "mongodb.threadsAllowedToBlockForConnectionMultiplier": _nothing(
        "a request that finds no free connection waits, and its time runs"
    ),
    "mongodb.batchsize": _refused(BATCHES, "1"),
    "batchsize": _refused(BATCHES, "1"),
    "table": _driver("collection"),
    # go-ycsb
    "mongodb.username": ACCOUNTED,
    "mongodb.password": ACCOUNTED,
    "mongodb.authdb": _driver("auth_source"),
    "mongodb.tls_ca_file": _refused(LETTERS, ""),
    "mongodb.tls_skip_verify": _refused("certificates are verified here", *FALSE),
}  # fmt: skip
ROCKSDB: Mapping[str, Option] = {
    "rocksdb.dir": _nothing(
        "the database lies in the attempt's own directory on the agent's machine, is made anew and "
        "removed; one that is there already is not opened"
    ),
    "rocksdb.optionsfile": Option("options_file"),
    "table": _nothing("all records lie in one column family"),
}
AEROSPIKE: Mapping[str, Option] = {
    "as.host": HOSTS,
    "as.port": PORT,
    "as.user": ACCOUNTED,
    "as.password": ACCOUNTED,
    "as.namespace": _driver("namespace"),
    "as.timeout": _driver("total_timeout_ms"),
    "table": _driver("set"),
    # benchANT's aerospike7
    "as.totaltimeout": _driver("total_timeout_ms"),
    "as.readmodeap": _driver("read_mode_ap", words={"one": "one", "all": "all"}, lowered=True),
    "as.connspernode": _driver("connections_per_node"),
    "as.connpoolspernode": _refused(
        "a node has one pool here: its size is `driver_options.connections_per_node`", "1"
    ),
    "as.writecommitlevel": _driver(
        "commit_level",
        words={"commit_all": "all", "commit_master": "master", "all": "all", "master": "master"},
        lowered=True,
    ),
    "as.durabledelete": _driver("durable_delete"),
    "as.usecompression": _refused("the driver compresses nothing", *FALSE),
    "as.debug": _nothing("the driver's log is kept with every run"),
    "batchsize": _refused(BATCHES, "1"),
    # go-ycsb
    "aerospike.host": HOST,
    "aerospike.port": PORT,
    "aerospike.ns": _driver("namespace"),
}


@dataclass(frozen=True, slots=True)
class Binding:
    """What YCSB has in place of one of our drivers."""

    names: str
    """Its names, for people."""
    options: Mapping[str, Option]
    prefixes: tuple[str, ...]
    """Of its options' names."""
    classes: tuple[str, ...]
    """Of `db`, without their packages."""


BINDINGS: Mapping[str, Binding] = {
    "resp": Binding("redis", RESP, ("redis.",), ("RedisClient", "redis")),
    "memcached": Binding("memcached", MEMCACHED, ("memcached.",), ("MemcachedClient", "memcached")),
    "cql": Binding(
        "cassandra-cql or scylla",
        CQL,
        ("cassandra.", "scylla."),
        ("CassandraCQLClient", "ScyllaCQLClient", "cassandra-cql", "cassandra2-cql", "scylla"),
    ),
    "mongodb": Binding(
        "mongodb or mongodb-async",
        MONGODB,
        ("mongodb.",),
        ("MongoDbClient", "AsyncMongoDbClient", "mongodb", "mongodb-async"),
    ),
    "rocksdb": Binding("rocksdb", ROCKSDB, ("rocksdb.",), ("RocksDBClient", "rocksdb")),
    "aerospike": Binding(
        "aerospike",
        AEROSPIKE,
        ("as.", "aerospike."),
        ("AerospikeClient", "Aerospike7Client", "aerospike"),
    ),
}
"""By driver: systems that share one share a binding, as Valkey and Dragonfly do with redis."""
OTHERS = {
    "accumulo.": "accumulo", "alibaba.": "tablestore", "arangodb.": "arangodb",
    "asynchbase.": "asynchbase", "azure.": "azuretablestorage", "azurecosmos.": "azurecosmos",
    "cloudspanner.": "cloudspanner", "couchbase.": "couchbase", "crail.": "crail", "db.": "jdbc",
    "dynamodb.": "dynamodb", "es.": "elasticsearch", "foundationdb.": "foundationdb",
    "geode.": "geode", "google.bigtable.": "googlebigtable", "googlebigtable.": "googlebigtable",
    "googledatastore.": "googledatastore", "hbase.": "hbase", "infinispan.": "infinispan",
    "jdbc.": "jdbc", "kudu_": "kudu", "orientdb.": "orientdb", "postgrenosql.": "postgrenosql",
    "rados.": "rados", "riak.": "riak", "s3.": "s3", "seaweed.": "seaweedfs", "solr.": "solr",
    "tarantool.": "tarantool", "voltdb.": "voltdb", "zookeeper.": "zookeeper",
}  # fmt: skip
"""How options of bindings begin that stand for no system here → the binding."""
OTHER_NAMES = {"columnfamily": "hbase or bigtable"}


def drivers_of(name: str) -> tuple[str, ...]:
    """Drivers whose bindings have such an option, or options that begin so."""
    return tuple(
        driver
        for driver, binding in BINDINGS.items()
        if name in binding.options or name.startswith(binding.prefixes)
    )


def other_binding(name: str) -> str | None:
    """The binding, of no system here, that has such an option."""
    if name in OTHER_NAMES:
        return OTHER_NAMES[name]
    return next((each for prefix, each in OTHERS.items() if name.startswith(prefix)), None)
