"""What a node may refuse to tell, by its info protocol; what answers is written after the source of
the server, and no Aerospike.
"""

import contextlib
import socketserver
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from weighhouse_plugin_aerospike import PLUGIN
from weighhouse_plugin_aerospike.info import request
from weighhouse_sdk.testkit.rights_testing import Visitor, questions
from weighhouse_sdk.wire import Address

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


@pytest.mark.parametrize("refused", [*((one,) for one in ANSWERS), tuple(ANSWERS)])
def test_each_question_may_be_refused(refused: tuple[str, ...], tmp_path: Path) -> None:
    asked: list[str] = []
    answers = {name: VIOLATION if name in refused else text for name, text in ANSWERS.items()}
    with node(answers, asked) as address:
        context = Visitor(PLUGIN, address, tmp_path).context("few")
        deployed = PLUGIN.deploy(context)
        PLUGIN.wait_ready(context, deployed)
        described = PLUGIN.describe(context, deployed)
        for _ in range(2):
            sample = PLUGIN.sample(context, deployed)
            memory = PLUGIN.memory(context, deployed)
    told = questions(deployed.refusals)
    assert told <= set(refused)
    assert told >= set(refused) - {one for one in ANSWERS if one.endswith("bench")}
    assert all(each.words.endswith(VIOLATION) for each in deployed.refusals)
    assert all(asked.count(each) == 1 for each in told)
    assert described.version == ("unknown" if "build" in refused else "8.1.2.0")
    if len(refused) == 1:
        assert sample.metrics
        unknown = {"namespaces", "namespace/bench"} & set(refused)
        assert memory.records == (None if unknown else 3)


def test_a_node_that_wants_an_account_is_told(tmp_path: Path) -> None:
    answers = dict.fromkeys(ANSWERS, "ERROR:80:not authenticated")
    with node(answers, []) as address:
        told = Visitor(PLUGIN, address, tmp_path).refused("account")
    assert told.kind == "refused"
    assert "wants an account" in told.message
