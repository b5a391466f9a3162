"""Whether PostgreSQL answers: looked at by a client with deadlines of its own.

A server that hangs keeps its side of every connection open, so that nothing the kernel or libpq
knows ends what waits for it. Whoever watches therefore asks over a connection of its own and gives
up by itself; then whatever else waits is ended by shutting its sockets down, and nobody begins to
wait, until it answers again.
"""

import os
import select
import socket
import threading
import weakref
from contextlib import suppress
from typing import Any

import psycopg
from psycopg import Connection, pq
from sqlalchemy import Engine, event, make_url

from weighhouse_backend.kit.conditions import DATABASE_AWAY, NO_SPACE, Conditions
from weighhouse_backend.kit.outages import DOES_NOT_ANSWER, IN_DATABASE, WRITES

LOOK_SECONDS = 0.1
PATIENCE_LOOKS = 20
"""An answer that is not there after so many looks is none. Looks are counted, not the clock: this
process may have been kept from looking, by a busy machine or a pause, while the answer came."""
CONNECT_SECONDS = 2
NEW_EVERY = 4
"""Every so many times over a new connection: a server may serve old ones and take none."""
TAKES_NONE = "PostgreSQL takes no connection"
NEW = "new"
"""What is away are new connections alone."""
ROOM = b"""
BEGIN;
CREATE TEMPORARY TABLE tried_for_room ON COMMIT DROP AS
SELECT repeat(md5(n::text), 56) AS filling FROM generate_series(1, 600) AS n;
COMMIT
"""
"""Writes a megabyte that nobody sees, and takes it back: what a full disk refuses."""


class OthersServed(TimeoutError):
    """It is this one connection that waits: in the queue of a pooler, or for the processor."""


class DatabaseWatch:
    """Looks at one database for one process, and guards the engines over it."""

    def __init__(self, url: str, conditions: Conditions) -> None:
        """:param url: as SQLAlchemy takes it."""
        address = make_url(url)
        # As the engines connect: libpq reads an address of several hosts in another way.
        _, named = address.get_dialect()().create_connect_args(address)
        self._named = {name: value for name, value in named.items() if name != "connect_timeout"}
        self._conditions = conditions
        self._own: Connection | None = None
        self._asked = 0
        self._answers = 0
        """To statements of the engines."""
        self._lines: weakref.WeakSet[Connection] = weakref.WeakSet()
        self._lock = threading.Lock()
        self.away = False
        """Whether it does not answer: then no engine connects, and what it had is cut."""

    def guard(self, engine: Engine) -> None:
        """Have an engine's connections end with the database, and none begin without it."""
        event.listen(engine, "do_connect", self._refuse)
        event.listen(engine, "connect", self._know)
        event.listen(engine, "after_cursor_execute", self._hear)

    def look(self) -> None:
        """Look once, for at most some seconds; says what it found to the conditions."""
        try:
            self._ask_whether_it_lives()
        except OthersServed:
            self._drop()
            return
        except (psycopg.Error, OSError) as error:
            self._drop()
            self.away = True
            self._cut()
            late = isinstance(error, TimeoutError | psycopg.errors.ConnectionTimeout)
            self._conditions.begin(DATABASE_AWAY, DOES_NOT_ANSWER if late else TAKES_NONE)
            return
        self.away = False
        self._conditions.end(DATABASE_AWAY)
        for name, about in ((NO_SPACE, IN_DATABASE), (DATABASE_AWAY, WRITES)):
            if self._conditions.holds(name, about):
                self._try_for_room()
                break

    def close(self) -> None:
        """Close what it asked over."""
        self._drop()

    def _ask_whether_it_lives(self) -> None:
        self._renew()
        try:
            self._ask(b"SELECT 1")
        except psycopg.Error:
            # One connection may break, or be ended by somebody: another one tells of the server.
            self._drop()
            self._renew()
            self._ask(b"SELECT 1")

    def _renew(self) -> None:
        """Connect, if there is no connection or it is time for another one.

        :raises psycopg.Error: when there is none, or it would hang.
        """
        self._asked += 1
        if self._own is not None and self._asked % NEW_EVERY:
            return
        try:
            made = psycopg.connect(**self._named, connect_timeout=CONNECT_SECONDS, autocommit=True)
        except psycopg.Error as error:
            if self._own is None or isinstance(error, psycopg.errors.ConnectionTimeout):
                raise
            # It has none left, or wants another password: whoever has one is served on.
            self._conditions.begin(DATABASE_AWAY, TAKES_NONE, NEW)
            return
        self._conditions.end(DATABASE_AWAY, NEW)
        self._drop()
        self._own = made

    def _try_for_room(self) -> None:
        try:
            self._ask(ROOM)
        except (psycopg.Error, OSError) as error:
            self._drop()
            if getattr(error, "sqlstate", None) in {"53100", "25006"}:
                return
        # Whatever else it was, the next one who is refused begins the condition anew.
        self._conditions.end(NO_SPACE, IN_DATABASE)
        self._conditions.end(DATABASE_AWAY, WRITES)

    def _ask(self, statement: bytes) -> None:
        """Have a statement done.

        :raises TimeoutError: when no answer came.
        :raises OthersServed: when none came here, while the engines got some.
        :raises psycopg.Error: when it is refused, or the connection is.
        """
        if self._own is None:
            raise psycopg.OperationalError(DOES_NOT_ANSWER)
        line = self._own.pgconn
        line.send_query(statement)
        line.flush()
        poll = select.poll()
        poll.register(line.socket, select.POLLIN)
        looks = answers = 0
        refused: pq.abc.PGresult | None = None
        while True:
            while line.is_busy():
                if poll.poll(LOOK_SECONDS * 1000):
                    line.consume_input()
                else:
                    looks += 1
                    answers = self._in_vain(looks, answers)
            result = line.get_result()
            if result is None:
                break
            if result.status == pq.ExecStatus.FATAL_ERROR:
                refused = result
        if refused is not None:
            raise psycopg.errors.error_from_result(refused)

    def _in_vain(self, looks: int, answers: int) -> int:
        """Whether to go on waiting.

        :returns: what the engines had been answered at half of the patience: by then all answers
            have come that were under way when it began to hang.
        """
        if looks >= PATIENCE_LOOKS:
            raise TimeoutError(DOES_NOT_ANSWER) if self._answers == answers else OthersServed
        return self._answers if looks == PATIENCE_LOOKS // 2 else answers

    def _drop(self) -> None:
        own, self._own = self._own, None
        if own is not None:
            with suppress(psycopg.Error):
                own.close()

    # What it guards

    def _refuse(self, *_: Any) -> None:
        if self.away:
            raise psycopg.OperationalError(DOES_NOT_ANSWER)

    def _hear(self, *_: Any) -> None:
        self._answers += 1

    def _know(self, connection: Connection, _record: Any) -> None:
        with self._lock:
            self._lines.add(connection)
        if self.away:
            _shut(connection)

    def _cut(self) -> None:
        with self._lock:
            lines = list(self._lines)
        for line in lines:
            _shut(line)


def _shut(connection: Connection) -> None:
    """End a connection under whoever waits for it, in whatever thread: they are told it broke."""
    with suppress(psycopg.Error, OSError):
        number = connection.fileno()
        held = socket.socket(fileno=os.dup(number))
        with held:
            if connection.fileno() == number:  # it is no other's by now
                held.shutdown(socket.SHUT_RDWR)
