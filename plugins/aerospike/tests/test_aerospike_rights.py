"""What a node may refuse to tell, by its info protocol; what answers is written after the source of
the server, and no Aerospike.
"""

import contextlib
import socketserver
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from weighhouse_judging.findings.counted import Asked, between, reconciled
from weighhouse_plugin_aerospike import PLUGIN
from weighhouse_plugin_aerospike.info import request
from weighhouse_protocol.counts import NodeCounts
from weighhouse_sdk.testkit.question_log import AerospikeInfo
from weighhouse_sdk.testkit.rights_testing import Visitor, refused_in_turn
from weighhouse_sdk.wire import Address

pytestmark = pytest.mark.stand_in("of answers written after its source, not Aerospike")

ANSWERS = {
    "build": "8.1.2.0",
    "namespaces": "bench",
    "statistics": "cluster_size=1;client_connections=2",
    "namespace/bench": "objects=3;master_objects=3;data_used_bytes=300",
    "get-config:context=service": "proto-fd-max=15000",
    "get-config:context=network": "service.port=3000",
    "get-config:context=namespace;namespace=bench": "replication-factor=1",
}
VIOLATION = "ERROR:81:role violation"


@contextlib.contextmanager
def node(answers: Mapping[str, str], asked: list[str]) -> Iterator[Address]:
    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            while header := self.rfile.read(8):
                lines = self.rfile.read(int.from_bytes(header[2:], "big")).decode().splitlines()
                asked.extend(lines)
                self.wfile.write(request(*(f"{one}\t{answers[one]}" for one in lines)))

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        host, port = server.server_address[:2]
        yield Address(str(host), int(port))
        server.shutdown()


def test_each_question_may_be_refused(tmp_path: Path) -> None:
    with node(ANSWERS, []) as address:
        visitor = Visitor(PLUGIN, address, tmp_path, drives=False)
        assert set(refused_in_turn(visitor, AerospikeInfo())) == set(ANSWERS)


@pytest.mark.parametrize("refused", [("build",), ("namespaces",), ("statistics",), tuple(ANSWERS)])
def test_what_is_told_all_the_same(refused: tuple[str, ...], tmp_path: Path) -> None:
    answers = {name: VIOLATION if name in refused else text for name, text in ANSWERS.items()}
    with node(answers, []) as address:
        context = Visitor(PLUGIN, address, tmp_path).context("few")
        deployed = PLUGIN.deploy(context)
        PLUGIN.wait_ready(context, deployed)
        described = PLUGIN.describe(context, deployed)
        sample = PLUGIN.sample(context, deployed)
        memory = PLUGIN.memory(context, deployed)
    assert described.version == ("unknown" if "build" in refused else "8.1.2.0")
    assert bool(sample.metrics) is (len(refused) == 1)
    assert memory.records == (None if "namespaces" in refused else 3)


COUNTED = (
    "client_read_success=600;client_read_error=2;client_read_timeout=0;client_read_not_found=30;"
    "client_read_filtered_out=0;client_write_success=400;client_write_error=0;"
    "client_write_timeout=1;client_delete_success=0;client_delete_not_found=0;"
    "batch_sub_read_success=50;batch_sub_read_not_found=5;client_udf_complete=7;objects=3"
)


def test_transactions_of_clients_are_its_counters() -> None:
    with node({**ANSWERS, "namespace/bench": COUNTED}, []) as address:
        told = PLUGIN.counted(address, 5.0)
    assert told is not None
    calls = {name: (one.calls, one.failed) for name, one in told.commands.items()}
    assert calls == {
        "read": (632, 2), "write": (401, 1), "batch read": (55, 0), "udf": (7, 0),
    }  # fmt: skip
    assert (told.hits, told.misses) == (650, 35)
    counting = PLUGIN.manifest.counts
    assert counting is not None
    nothing = NodeCounts(node=told.node)
    asked = {"read": Asked(found=650, not_found=35, failed=2), "update": Asked(400, unanswered=1)}
    found = reconciled(counting, asked, between([nothing], [told]))
    assert [(row.name, row.client.asked, row.served) for row in found.rows] == [
        ("reads", 687, 687), ("writes", 401, 401),
    ]  # fmt: skip
    assert found.strangers == {"udf": 7}


def test_a_node_that_wants_an_account_is_told(tmp_path: Path) -> None:
    answers = dict.fromkeys(ANSWERS, "ERROR:80:not authenticated")
    with node(answers, []) as address:
        told = Visitor(PLUGIN, address, tmp_path).refused("account")
    assert told.kind == "refused"
    assert "wants an account" in told.message
