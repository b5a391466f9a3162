"""What a node may refuse to tell; what answers speaks CQL, has empty tables, and is no ScyllaDB."""

import contextlib
import socketserver
import struct
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from weighhouse_plugin_scylladb import PLUGIN
from weighhouse_sdk.families import cql
from weighhouse_sdk.testkit.question_log import Cql
from weighhouse_sdk.testkit.rights_testing import Visitor, refused_in_turn
from weighhouse_sdk.wire import Address

HEAD = struct.Struct(">BBhBi")
VOID = struct.pack(">i", 1)


class Node(socketserver.StreamRequestHandler):
    """Lets everybody in, and answers each question with nothing."""

    def handle(self) -> None:
        while head := self.rfile.read(HEAD.size):
            _, _, stream, opcode, size = HEAD.unpack(head)
            self.rfile.read(size)
            kind, body = (cql.READY, b"") if opcode == cql.STARTUP else (cql.RESULT, VOID)
            self.wfile.write(HEAD.pack(cql.VERSION_4 | 0x80, 0, stream, kind, len(body)) + body)


@contextlib.contextmanager
def node() -> Iterator[Address]:
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Node) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        host, port = server.server_address[:2]
        yield Address(str(host), int(port))
        server.shutdown()


@pytest.mark.stand_in("of answers written after its protocol, not ScyllaDB")
def test_each_question_may_be_refused(tmp_path: Path) -> None:
    with node() as address:
        asked = refused_in_turn(Visitor(PLUGIN, address, tmp_path, drives=False), Cql())
    assert {each.removeprefix("SELECT FROM ") for each in asked} == {
        "system.local", "system.peers", "system_schema.keyspaces",
        "system.config", "system.runtime_info",
    }  # fmt: skip
