"""For tests of plugins: every question that an observer asks, as it goes over the wire, and what
refuses one of them.

It stands between observer and server (`gateway`), reads each message by its protocol and not by
what the plugin says that it asks, so that a question added later is on the list by itself.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

import bson

from weighhouse_sdk.families import cql, mongo

OP_QUERY = 2004
FLAGS = 4
SECTION_KIND = 1
CQL_HEADER = 9
CQL_UNAUTHORIZED = 0x2100
"""Source: doc/native_protocol_v4.spec of Apache Cassandra, section 9."""


class Dialect(Protocol):
    """How questions and refusals stand in a protocol."""

    lets_in: ClassVar[frozenset[str]]
    """What has to be answered before any question is: without it nobody is let in."""
    words: ClassVar[str]
    """How a refusal is told."""

    def asked(self, data: bytes) -> Iterator[str]:
        """The questions in what a client sends at once, by the names that people know them by;
        what is not understood as it stands there.
        """

    def refusal(self, data: bytes, question: str) -> bytes:
        """The answer to it by which a server refuses one question."""


class Resp(Dialect):
    """Redis' protocol."""

    lets_in: ClassVar[frozenset[str]] = frozenset({"AUTH"})
    words: ClassVar[str] = "NOPERM"
    containers = frozenset({"ACL", "CLIENT", "CLUSTER", "CONFIG", "LATENCY", "MEMORY", "SLOWLOG"})
    """Commands whose second word says what they do."""

    def asked(self, data: bytes) -> Iterator[str]:
        """`INFO`, `CONFIG GET`."""
        words = re.findall(rb"\$\d+\r\n([^\r\n]*)\r\n", data)
        if not data.startswith(b"*") or not words:
            yield repr(data)
            return
        command, *rest = (word.decode().upper() for word in words)
        yield " ".join([command, *rest[:1]]) if command in self.containers else command

    def refusal(self, data: bytes, question: str) -> bytes:
        """As Redis has it for an account without the right."""
        del data
        name = question.lower().replace(" ", "|")
        return f"-NOPERM User has no permissions to run the '{name}' command\r\n".encode()


class Memcached(Dialect):
    """Memcached's text protocol."""

    lets_in: ClassVar[frozenset[str]] = frozenset()
    words: ClassVar[str] = "ERROR"

    def asked(self, data: bytes) -> Iterator[str]:
        """`stats settings`."""
        for line in data.splitlines():
            yield line.decode(errors="replace").strip()

    def refusal(self, data: bytes, question: str) -> bytes:
        """As a server or a proxy has it that does not know the command."""
        del data, question
        return b"ERROR\r\n"


class Mongo(Dialect):
    """MongoDB's wire protocol."""

    lets_in: ClassVar[frozenset[str]] = frozenset({
        "hello", "ismaster", "saslStart", "saslContinue", "authenticate", "endSessions",
    })  # fmt: skip
    words: ClassVar[str] = "not authorized on admin"

    def asked(self, data: bytes) -> Iterator[str]:
        """`serverStatus`."""
        size, _, _, kind = mongo.HEADER.unpack_from(data)
        body = data[mongo.HEADER.size :]
        if kind == mongo.OP_MSG and size == len(data):
            yield next(iter(bson.decode(body[FLAGS + SECTION_KIND :])))
        elif kind == OP_QUERY and size == len(data):
            # Flags, name of the collection, how many to leave out and to return.
            document = body[FLAGS:].partition(b"\0")[2][8:]
            yield next(iter(bson.decode(document)))
        else:
            yield repr(data)

    def refusal(self, data: bytes, question: str) -> bytes:
        """As a `mongod` has it for an account without the right."""
        _, number, _, _ = mongo.HEADER.unpack_from(data)
        told = {
            "ok": 0.0,
            "errmsg": f"{self.words} to execute command {{ {question}: 1 }}",
            "code": mongo.UNAUTHORIZED,
            "codeName": "Unauthorized",
        }
        body = bytes(FLAGS) + b"\0" + bson.encode(told)
        return mongo.HEADER.pack(mongo.HEADER.size + len(body), 1, number, mongo.OP_MSG) + body


class Cql(Dialect):
    """CQL's binary protocol, version 4."""

    lets_in: ClassVar[frozenset[str]] = frozenset({"STARTUP", "AUTH_RESPONSE"})
    words: ClassVar[str] = "has no SELECT permission"
    opcodes: ClassVar = {cql.STARTUP: "STARTUP", cql.AUTH_RESPONSE: "AUTH_RESPONSE"}

    def asked(self, data: bytes) -> Iterator[str]:
        """`SELECT FROM system_views.settings`."""
        opcode, text = data[4], data[CQL_HEADER + 4 :].decode(errors="replace")
        found = re.search(r"\A(SELECT) .*?\bFROM ([\w.]+)", text, re.DOTALL)
        if opcode == cql.QUERY and found:
            yield " FROM ".join(found.groups())
        else:
            yield self.opcodes.get(opcode, repr(data))

    def refusal(self, data: bytes, question: str) -> bytes:
        """As a node has it for a role without the right."""
        told = f"User w {self.words} on <table {question.rpartition(' ')[2]}>".encode()
        body = CQL_UNAUTHORIZED.to_bytes(4, "big") + len(told).to_bytes(2, "big") + told
        head = bytes((cql.VERSION_4 | 0x80, 0)) + data[2:4] + bytes((cql.ERROR,))
        return head + len(body).to_bytes(4, "big") + body


class AerospikeInfo(Dialect):
    """Aerospike's info protocol."""

    lets_in: ClassVar[frozenset[str]] = frozenset()
    words: ClassVar[str] = "ERROR:81:role violation"

    def asked(self, data: bytes) -> Iterator[str]:
        """`get-config:context=service`."""
        yield from data[8:].decode(errors="replace").splitlines()

    def refusal(self, data: bytes, question: str) -> bytes:
        """As the source of the server has it for an account without the right."""
        text = f"{question}\t{self.words}\n".encode()
        return data[:2] + len(text).to_bytes(6, "big") + text


@dataclass
class QuestionLog:
    """What was asked, in order; called by a `gateway` with each message."""

    dialect: Dialect
    refuses: str | None = None
    """The question that is refused; None: all are passed on."""
    heard: list[str] = field(default_factory=list)

    def __call__(self, data: bytes) -> bytes | None:
        """The refusal, where one is asked that is refused."""
        asked = list(self.dialect.asked(data))
        self.heard += asked
        if self.refuses in asked:
            return self.dialect.refusal(data, self.refuses)
        return None

    @property
    def questions(self) -> tuple[str, ...]:
        """Each once, without what lets one in."""
        return tuple(each for each in dict.fromkeys(self.heard) if each not in self.dialect.lets_in)

    def refusing(self, question: str) -> "QuestionLog":
        """Forget what was heard, and refuse one from now on."""
        self.heard.clear()
        self.refuses = question
        return self
