"""Asks a server questions in CQL, without parameters and without load.

Source: CQL binary protocol, version 4, doc/native_protocol_v4.spec of Apache Cassandra.
"""

import ipaddress
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from weighhouse_sdk.replies import (
    LoginRefused,
    NotYet,
    Refused,
    ReplyError,
    ServerFull,
    other_protocol,
    unless_refused,
)
from weighhouse_sdk.wire import Address, Connection

PROTOCOL = "CQL"
VERSION_4 = 0x04
STARTUP, QUERY, AUTH_RESPONSE = 0x01, 0x07, 0x0F
ERROR, READY, AUTHENTICATE, RESULT, AUTH_SUCCESS = 0x00, 0x02, 0x03, 0x08, 0x10
SERVER_ERROR, BAD_CREDENTIALS, OVERLOADED = 0x0000, 0x0100, 0x1001
PASSING = frozenset({SERVER_ERROR, 0x1000, OVERLOADED, 0x1002, 0x1003, 0x1100, 0x1200})
"""Codes of errors that are over in a while: unavailable, overloaded, bootstrapping, truncating,
and copies that did not answer in time."""
UNDER_WAY = "consistency level"
"""In what a node says to an account for as long as it cannot read its table of accounts."""
FULL = "connections limit"
ROWS = 2
ONE, ALL = 0x0001, 0x0005
"""Levels of consistency."""
GLOBAL_TABLE = 0x01
MORE_PAGES = 0x02
LARGEST_BYTES = 1 << 28
"""Of a frame, by the protocol."""

Value = str | int | float | bool | None
Row = dict[str, Value]

_INTEGERS = {0x02, 0x09, 0x0B, 0x12, 0x13, 0x14}
_BOOLEAN, _DOUBLE, _FLOAT = 0x04, 0x07, 0x08
_WITH_ONE, _WITH_TWO, _TUPLE, _USER_TYPE, _CUSTOM = {0x20, 0x22}, {0x21}, 0x31, 0x30, 0x00
_TEXTS = {0x01, 0x0D}
_IDENTIFIERS = {0x0C, 0x0F}
_ADDRESS = 0x10


def rows(
    address: Address, timeout_seconds: float, *queries: str, consistency: int = ONE
) -> list[list[Row]]:
    """Ask questions over one connection of its own.

    Text, numbers, flags and addresses come as such, identifiers in hexadecimal digits, of a list,
    set or map the number of its elements, everything else as None.

    :param consistency: how many copies have to answer the server that is asked.
    :returns: for each query its rows: column → value.
    :raises Refused: when an answer is an error.
    :raises NotYet: when it is one that passes.
    :raises Unfit: when the server does not let it in, or speaks something else.
    :raises OSError: when there is no answer.
    """
    with Connection(address, timeout_seconds, PROTOCOL) as connection:
        _begin(connection, address)
        return [_rows(connection, query, consistency) for query in queries]


def told(
    address: Address, timeout_seconds: float, questions: Mapping[str, str]
) -> dict[str, list[Row] | None]:
    """Ask what only describes, over one connection of its own.

    :param questions: table → what is asked of it.
    :returns: table → its rows; None where the server may refuse them, and does.
    :raises ReplyError, OSError: as `rows`.
    """
    known = address.refusals
    if known and all(known.knows(address.endpoint, f"SELECT FROM {each}") for each in questions):
        return dict.fromkeys(questions)
    with Connection(address, timeout_seconds, PROTOCOL) as connection:
        _begin(connection, address)
        found: dict[str, list[Row] | None] = {}
        for table, query in questions.items():
            found[table] = unless_refused(
                address, f"SELECT FROM {table}", partial(_rows, connection, query, ONE)
            )
        return found


def _rows(connection: Connection, query: str, consistency: int) -> list[Row]:
    text = query.encode()
    request = struct.pack(">i", len(text)) + text + struct.pack(">HB", consistency, 0)
    kind, body = _ask(connection, QUERY, request)
    if kind != RESULT:
        raise _failure(connection, body) if kind == ERROR else ReplyError(f"no result but {kind}")
    try:
        return _Body(body).rows()
    except (struct.error, IndexError) as error:
        message = f"not CQL: {body[:80]!r}"
        raise ReplyError(message) from error


def _begin(connection: Connection, address: Address) -> None:
    """Introduce oneself, by SASL PLAIN (RFC 4616) where the server asks for it."""
    kind, body = _ask(connection, STARTUP, _string_map({"CQL_VERSION": "3.0.0"}))
    if kind == AUTHENTICATE:
        shown = address.credentials
        if shown is None or shown.username is None or shown.password is None:
            raise LoginRefused(
                "the server wants an account",
                "let the target name `credentials` with username and password_file, which the "
                "agent's policy keeps",
            )
        token = f"\0{shown.username}\0{shown.password}".encode()
        kind, body = _ask(connection, AUTH_RESPONSE, struct.pack(">i", len(token)) + token)
    if kind == ERROR:
        raise _failure(connection, body)
    if kind not in (READY, AUTH_SUCCESS):
        message = f"no answer to a beginning: {kind}"
        raise ReplyError(message)


def _failure(connection: Connection, body: bytes) -> ReplyError:
    """What an error is that a node answers with, by its code."""
    (code,) = struct.unpack_from(">i", body) if len(body) > 4 else (SERVER_ERROR,)  # noqa: PLR2004
    words = connection.masked(body[6:].decode("utf-8", errors="replace").strip())
    if code == BAD_CREDENTIALS and UNDER_WAY in words:
        return NotYet(words)
    if code == BAD_CREDENTIALS:
        return LoginRefused(
            f"the server does not take this account and password: {words}",
            "look at username and password_file of the credentials",
        )
    if code == OVERLOADED and FULL in words:
        return ServerFull(
            f"the server takes no further connection: {words}",
            "raise its native_transport_max_concurrent_connections",
        )
    return NotYet(words) if code in PASSING else Refused(words)


def _string_map(pairs: dict[str, str]) -> bytes:
    out = struct.pack(">H", len(pairs))
    for pair in pairs.items():
        for text in pair:
            out += struct.pack(">H", len(text)) + text.encode()
    return out


def _ask(connection: Connection, opcode: int, body: bytes) -> tuple[int, bytes]:
    connection.send(struct.pack(">BBhBi", VERSION_4, 0, 0, opcode, len(body)) + body)
    head = connection.exactly(9)
    version, _flags, _stream, kind, length = struct.unpack(">BBhBi", head)
    if version != VERSION_4 | 0x80 or not 0 <= length <= LARGEST_BYTES:
        raise other_protocol(PROTOCOL, head)
    return kind, connection.exactly(length)


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
        elif kind == _ADDRESS:
            found = str(ipaddress.ip_address(data))
        elif kind in _WITH_ONE | _WITH_TWO:
            found = int.from_bytes(data[:4], "big")
        elif kind in {_DOUBLE, _FLOAT}:
            found = float(struct.unpack(">d" if kind == _DOUBLE else ">f", data)[0])
        return found
