"""Asks a server questions in CQL, without parameters and without load.

Source: CQL binary protocol, version 4, doc/native_protocol_v4.spec of Apache Cassandra.
"""

import struct
from dataclasses import dataclass

from weighhouse_sdk.wire import Address, Connection, ReplyError

VERSION_4 = 0x04
STARTUP, QUERY = 0x01, 0x07
ERROR, READY, RESULT = 0x00, 0x02, 0x08
ROWS = 2
ONE, ALL = 0x0001, 0x0005
"""Levels of consistency."""
GLOBAL_TABLE = 0x01
MORE_PAGES = 0x02

Value = str | int | float | bool | None
Row = dict[str, Value]

_INTEGERS = {0x02, 0x09, 0x0B, 0x12, 0x13, 0x14}
_BOOLEAN, _DOUBLE, _FLOAT = 0x04, 0x07, 0x08
_WITH_ONE, _WITH_TWO, _TUPLE, _USER_TYPE, _CUSTOM = {0x20, 0x22}, {0x21}, 0x31, 0x30, 0x00
_TEXTS = {0x01, 0x0D}
_IDENTIFIERS = {0x0C, 0x0F}


def rows(
    address: Address, timeout_seconds: float, *queries: str, consistency: int = ONE
) -> list[list[Row]]:
    """Ask questions over one connection of its own.

    Text, numbers and flags come as such, identifiers in hexadecimal digits, of a list, set or map
    the number of its elements, everything else as None.

    :param consistency: how many copies have to answer the server that is asked.
    :returns: for each query its rows: column → value.
    :raises ReplyError: when an answer is an error, or not of the protocol.
    :raises OSError: when there is no answer.
    """
    with Connection(address, timeout_seconds) as connection:
        kind, body = _ask(connection, STARTUP, _string_map({"CQL_VERSION": "3.0.0"}))
        if kind != READY:
            raise ReplyError("the server wants an account" if kind != ERROR else _error(body))
        answers = []
        for query in queries:
            text = query.encode()
            request = struct.pack(">i", len(text)) + text + struct.pack(">HB", consistency, 0)
            kind, body = _ask(connection, QUERY, request)
            if kind != RESULT:
                raise ReplyError(_error(body) if kind == ERROR else f"no result but {kind}")
            try:
                answers.append(_Body(body).rows())
            except (struct.error, IndexError) as error:
                message = f"not CQL: {body[:80]!r}"
                raise ReplyError(message) from error
        return answers


def _string_map(pairs: dict[str, str]) -> bytes:
    out = struct.pack(">H", len(pairs))
    for pair in pairs.items():
        for text in pair:
            out += struct.pack(">H", len(text)) + text.encode()
    return out


def _ask(connection: Connection, opcode: int, body: bytes) -> tuple[int, bytes]:
    connection.send(struct.pack(">BBhBi", VERSION_4, 0, 0, opcode, len(body)) + body)
    version, _flags, _stream, kind, length = struct.unpack(">BBhBi", connection.exactly(9))
    if version != VERSION_4 | 0x80:
        message = f"not CQL of version 4: {version}"
        raise ReplyError(message)
    return kind, connection.exactly(length)


def _error(body: bytes) -> str:
    return body[6:].decode("utf-8", errors="replace").strip()


@dataclass
class _Body:
    data: bytes
    at: int = 0

    def number(self, form: str) -> int:
        (value,) = struct.unpack_from(f">{form}", self.data, self.at)
        self.at += struct.calcsize(form)
        return int(value)

    def text(self) -> str:
        size = self.number("H")
        self.at += size
        return self.data[self.at - size : self.at].decode("utf-8", errors="replace")

    def kind(self) -> int:
        """The type of a column; what it is made of is read over."""
        found = self.number("H")
        if found == _CUSTOM:
            self.text()
        elif found in _WITH_ONE:
            self.kind()
        elif found in _WITH_TWO:
            self.kind()
            self.kind()
        elif found == _TUPLE:
            for _ in range(self.number("H")):
                self.kind()
        elif found == _USER_TYPE:
            self.text()
            self.text()
            for _ in range(self.number("H")):
                self.text()
                self.kind()
        return found

    def rows(self) -> list[Row]:
        if self.number("i") != ROWS:
            return []
        flags, count = self.number("i"), self.number("i")
        if flags & MORE_PAGES:
            self.at += max(0, self.number("i"))
        if flags & GLOBAL_TABLE:
            self.text()
            self.text()
        columns = []
        for _ in range(count):
            if not flags & GLOBAL_TABLE:
                self.text()
                self.text()
            columns.append((self.text(), self.kind()))
        return [{name: self.value(kind) for name, kind in columns} for _ in range(self.number("i"))]

    def value(self, kind: int) -> Value:
        size = self.number("i")
        if size < 0:
            return None
        self.at += size
        data = self.data[self.at - size : self.at]
        found: Value = None
        if kind in _TEXTS:
            found = data.decode("utf-8", errors="replace")
        elif kind in _INTEGERS:
            found = int.from_bytes(data, "big", signed=True)
        elif kind == _BOOLEAN:
            found = data != b"\0"
        elif kind in _IDENTIFIERS:
            found = data.hex()
        elif kind in _WITH_ONE | _WITH_TWO:
            found = int.from_bytes(data[:4], "big")
        elif kind in {_DOUBLE, _FLOAT}:
            found = float(struct.unpack(">d" if kind == _DOUBLE else ">f", data)[0])
        return found
