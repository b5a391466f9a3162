"""A receiver of webhooks, written by what docs/notices.md says, and a project to tell."""

import base64
import contextlib
import datetime
import hashlib
import hmac
import http.server
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import select, update
from weighhouse_backend.identity.models import Membership, Organization, Project, User
from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.ids import new_id
from weighhouse_backend.kit.seals import seal_of
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.notices.announcements import notify
from weighhouse_backend.notices.kinds import ChannelKind, NoticeKind
from weighhouse_backend.notices.models import NoticeAttempt, NoticeChannel, NoticeDelivery
from weighhouse_backend.notices.webhooks import new_secret
from weighhouse_testing.waits import PATIENCE_SECONDS
from weighhouse_worker import tasks
from weighhouse_worker.tools import Tools

LATE_SECONDS = 300


def verified(headers: Any, body: bytes, secret: str, now: float) -> dict[str, Any]:
    """A body whose signature fits, by the words of the documentation alone."""
    sent_at = int(headers["webhook-timestamp"])
    assert abs(now - sent_at) < LATE_SECONDS
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = headers["webhook-id"].encode() + b"." + str(sent_at).encode() + b"." + body
    wanted = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    given = [one.partition(",") for one in headers["webhook-signature"].split()]
    assert any(v == "v1" and hmac.compare_digest(mac, wanted) for v, _, mac in given)
    return json.loads(body)


@dataclass
class Receiver:
    """What was posted to it; answers what it is told to, in turn, then 204."""

    url: str = ""
    answers: list[int] = field(default_factory=list)
    got: list[tuple[str, Any, bytes]] = field(default_factory=list)
    held: threading.Event | None = None
    """Answers wait for it."""
    arrived: threading.Event = field(default_factory=threading.Event)

    def hold(self) -> None:
        """Answer nobody."""
        self.held = threading.Event()

    def let_go(self) -> None:
        """Answer again, who waits among them, if they are still there."""
        if self.held is not None:
            self.held.set()


@contextmanager
def receiving(tls: Any = None) -> Iterator[Receiver]:
    """:param tls: a context of a server; None: without."""
    receiver = Receiver()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            receiver.got.append((self.path, self.headers, body))
            receiver.arrived.set()
            if receiver.held is not None:
                receiver.held.wait(PATIENCE_SECONDS)
            status = receiver.answers.pop(0) if receiver.answers else 204
            self.send_response(status)
            if status == 302:
                self.send_header("Location", "/elsewhere")
            said = b"ok" if status == 200 else b""
            self.send_header("Content-Length", str(len(said)))
            with contextlib.suppress(ConnectionError):  # who sent it may be gone
                self.end_headers()
                self.wfile.write(said)

        def log_message(self, *_: Any) -> None:
            """Nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    scheme, name = ("https", "localhost") if tls else ("http", "127.0.0.1")
    receiver.url = f"{scheme}://{name}:{server.server_address[1]}"
    yield receiver
    server.shutdown()
    server.server_close()


@dataclass(frozen=True)
class Told:
    """A project with one person, and what is told there."""

    tools: Tools
    organization_id: UUID
    project_id: UUID
    user_id: UUID
    email: str

    def notify(self, kind: NoticeKind = NoticeKind.REGRESSION, **more: Any) -> bool:
        """Something happens."""
        facts = {"cause": str(uuid4()), "title": "p99 of redis rose by 12 %", "path": "/alerts"}
        with unit_of_work(self.tools.sessions) as session:
            return notify(
                session, SystemClock(), project_id=self.project_id, kind=kind, **{**facts, **more}
            )

    def channel(self, kind: ChannelKind, address: str, **more: Any) -> tuple[UUID, str]:
        """A channel, and what it signs with."""
        seal, secret = seal_of(self.tools.settings), new_secret()
        facts = {
            "id": new_id(), "project_id": self.project_id, "kind": kind, "name": str(uuid4()),
            "place": "…", "sealed_address": seal.close(address),
            "sealed_secret": seal.close(secret), "kinds": list(NoticeKind), "active": True,
            "made_by": "test", "created_at": SystemClock().now(),
        }  # fmt: skip
        with unit_of_work(self.tools.sessions) as session:
            row = NoticeChannel(**{**facts, **more})
            session.add(row)
        return row.id, secret

    def go_round(self) -> None:
        """What the timetable has done: spread, pack, and deliver each parcel."""
        tasks.spread_notices(self.tools)
        for row in self.deliveries(state="pending"):
            if row.parcel_id is not None:
                tasks.deliver_notices(self.tools, str(row.parcel_id))

    def hurry(self) -> None:
        """The time of what waits has come."""
        with unit_of_work(self.tools.sessions) as session:
            session.execute(
                update(NoticeDelivery)
                .where(NoticeDelivery.project_id == self.project_id)
                .values(next_at=SystemClock().now() - datetime.timedelta(seconds=1))
            )

    def deliveries(self, **wanted: Any) -> list[NoticeDelivery]:
        """Deliveries of the project, oldest first."""
        with unit_of_work(self.tools.sessions) as session:
            found = select(NoticeDelivery).filter_by(project_id=self.project_id, **wanted)
            return list(session.scalars(found.order_by(NoticeDelivery.id)))

    def attempts(self) -> list[tuple[str | None, int | None, str]]:
        """How attempts ended, oldest first."""
        with unit_of_work(self.tools.sessions) as session:
            found = select(NoticeAttempt).filter_by(project_id=self.project_id)
            rows = session.scalars(found.order_by(NoticeAttempt.id))
            return [(row.outcome, row.status_code, row.detail) for row in rows]


def told(tools: Tools) -> Told:
    """A project of its own."""
    now, name = SystemClock().now(), f"told-{uuid4().hex[:12]}"
    with unit_of_work(tools.sessions) as session:
        house = Organization(slug=name, name=name, created_at=now)
        user = User(email=f"{name}@example.test", name="Una", created_at=now)
        session.add_all([house, user])
        session.flush()
        project = Project(organization_id=house.id, slug="main", name="Main", created_at=now)
        session.add(project)
        session.add(
            Membership(
                organization_id=house.id, user_id=user.id, role="member", created_at=now
            )
        )  # fmt: skip
        session.flush()
        return Told(tools, house.id, project.id, user.id, user.email)
