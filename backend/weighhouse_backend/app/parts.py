"""How each part of the platform does, and how what is missing is mended."""

import threading
import time
from dataclasses import dataclass, field
from typing import Literal

from pydantic import BaseModel
from redis import Redis
from redis.exceptions import RedisError
from sqlalchemy import Engine, text
from sqlalchemy.exc import SQLAlchemyError

from weighhouse_backend.app.revisions import Revisions, revisions_of
from weighhouse_backend.app.work import Work, asked, work_of
from weighhouse_backend.kit.conditions import (
    DATABASE_AWAY,
    REDIS_AWAY,
    WORKER_AWAY,
    ConditionRead,
    Conditions,
)
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.kit.signs import SILENT_SECONDS, ages_of_signs
from weighhouse_backend.kit.signs import Part as SignedPart

Condition = Literal["ok", "away", "behind", "ahead", "unknown"]
PartName = Literal["database", "migrations", "redis", "worker", "timetable", "agents"]
FRESH_SECONDS = 2.0
"""What was found is told again for so long, whoever asks how often."""
SHUTTING_DOWN = "57P"
"""How PostgreSQL's codes for a server that starts or stops begin."""
BEGINNING_SECONDS = 30.0
"""For so long after its start a process takes a part that never gave a sign for one that begins."""
QUEUE = "celery"
"""Celery's queue in Redis."""


class PartRead(BaseModel):
    """One part of the platform."""

    name: PartName
    condition: Condition
    """behind, ahead: the database's tables are older, or newer, than this program. unknown: it
    cannot be asked while another part is away, or all of it has only begun."""
    missing: str | None = None
    """What does not take place meanwhile; none while it is well."""
    mend: str | None = None
    """What to do about it."""


@dataclass(frozen=True)
class Looked:
    """What was found when the parts were looked at."""

    parts: tuple[PartRead, ...]
    work: Work | None
    """None: the database is away."""
    signs: dict[SignedPart, float | None]
    """Part → seconds since its latest sign of life; empty: Redis is away."""
    jobs_waiting: int | None
    conditions: tuple[ConditionRead, ...] = ()
    """What was wrong by then."""
    changes: int = 0
    """Of the conditions, when this was looked at."""
    at: float = field(default_factory=time.monotonic)

    @property
    def can_serve(self) -> bool:
        """Whether the API can answer: everything else it does without."""
        return not any(
            (part.name, part.condition) in {("database", "away"), ("migrations", "behind")}
            for part in self.parts
        )


class Parts:
    """Looks at the parts, at most every few seconds. Safe to share by threads."""

    def __init__(
        self, engine: Engine, redis: Redis, settings: Settings, conditions: Conditions
    ) -> None:
        """:param engine: the observers'.
        :param conditions: who is known to be away is not asked.
        """
        self._conditions = conditions
        self._engine = engine
        self._redis = redis
        self._settings = settings
        self._lock = threading.Lock()
        self._looked: Looked | None = None
        self._revisions: Revisions | None = None
        self.began = time.monotonic()
        """When this process began, by `time.monotonic`."""

    def look(self) -> Looked:
        """How the parts do, as of a few seconds ago at most."""
        with self._lock:
            if (looked := self.fresh()) is None:
                looked = self._looked = self._look()
            return looked

    def fresh(self) -> Looked | None:
        """What was found the last time, if that was just now, and nothing began or ended since."""
        looked = self._looked
        if looked is None or looked.changes != self._conditions.changes:
            return None
        return looked if time.monotonic() - looked.at <= FRESH_SECONDS else None

    def unanswered(self) -> Looked:
        """What is said when the parts do not answer in time. Who is away is known by the watches,
        which ask for nothing else; what is slow, or waits for a table that somebody holds, is not.
        """
        away = {one for one in (DATABASE_AWAY, REDIS_AWAY) if self._conditions.holds(one)}
        return self._whole(
            _DATABASE_AWAY if DATABASE_AWAY in away else _unknown("database"),
            None,
            _REDIS_AWAY if REDIS_AWAY in away else _unknown("redis"),
        )

    def _look(self) -> Looked:
        work, revision = None, None
        try:
            if self._conditions.holds(DATABASE_AWAY):
                raise TimeoutError  # noqa: TRY301 - as if it had been asked, and no answer came
            revision = asked(
                self._engine,
                text("SELECT version_num FROM alembic_version"),
            )
            work = work_of(self._engine)
            database = PartRead(name="database", condition="ok")
        except (SQLAlchemyError, TimeoutError) as error:
            # Tables that are not there yet are the migrations' trouble, not the server's.
            reachable = revision is not None or _answered(error)
            database = PartRead(name="database", condition="ok") if reachable else _DATABASE_AWAY
        signs: dict[SignedPart, float | None] = {}
        jobs = None
        redis = PartRead(name="redis", condition="ok")
        try:
            if self._conditions.holds(REDIS_AWAY):
                raise RedisError  # noqa: TRY301 - the same
            signs = dict(ages_of_signs(self._redis))
            jobs = int(self._redis.llen(QUEUE))
        except RedisError:
            redis = _REDIS_AWAY
        return self._whole(database, revision, redis, work, signs, jobs)

    def _whole(
        self,
        database: PartRead,
        revision: str | None,
        redis: PartRead,
        work: Work | None = None,
        signs: dict[SignedPart, float | None] | None = None,
        jobs: int | None = None,
    ) -> Looked:
        known = signs or {}
        parts = (
            database,
            self._migrations(database, revision),
            redis,
            self._signed("worker", known),
            self._signed("timetable", known),
            self._agents(work),
        )
        changes = self._conditions.changes
        conditions = tuple(self._conditions.told())
        return Looked(
            parts=parts, work=work, signs=known, jobs_waiting=jobs, conditions=conditions,
            changes=changes,
        )  # fmt: skip

    def _signed(self, part: SignedPart, signs: dict[SignedPart, float | None]) -> PartRead:
        if part not in signs:
            return PartRead(name=part, condition="unknown")
        age = signs[part]
        if age is not None and age <= SILENT_SECONDS[part]:
            return PartRead(name=part, condition="ok")
        if part == "worker" and age is not None and not self._conditions.holds(WORKER_AWAY):
            return PartRead(name=part, condition="unknown")
        if age is None and time.monotonic() - self.began < BEGINNING_SECONDS:
            return PartRead(name=part, condition="unknown")
        missing, mend = _UNSIGNED[part]
        return PartRead(name=part, condition="away", missing=missing, mend=mend)

    def _migrations(self, database: PartRead, revision: str | None) -> PartRead:
        if database.condition != "ok" or self._settings.migrations_dir is None:
            return PartRead(name="migrations", condition="unknown")
        if self._revisions is None:
            self._revisions = revisions_of(self._settings.migrations_dir)
        known, head = self._revisions.known, self._revisions.head
        if revision == head:
            return PartRead(name="migrations", condition="ok")
        if revision is None or revision in known:
            return PartRead(
                name="migrations",
                condition="behind",
                missing=f"the database's tables are at {revision or 'nothing'}; this program wants "
                f"{head}",
                mend="run `alembic -c migrations/alembic.ini upgrade head`; the embedded platform "
                "does so when it starts",
            )
        return PartRead(
            name="migrations",
            condition="ahead",
            missing=f"the database's tables are newer ({revision}) than this program "
            f"({head}); it serves on",
            mend="start this process from the newer release, too",
        )

    def _agents(self, work: Work | None) -> PartRead:
        if work is None:
            return PartRead(name="agents", condition="unknown")
        longest = silent_after(self._settings)
        if any(
            one.unseen_seconds is not None and one.unseen_seconds <= longest for one in work.agents
        ):
            return PartRead(name="agents", condition="ok")
        return PartRead(
            name="agents",
            condition="away",
            missing="nothing is measured: no agent is heard of; none is enrolled, or all are "
            "revoked or away",
            mend="start the agent on its machine (`weighhouse agent start`), or enrol one: "
            "`weighhouse agent enrol`",
        )


def silent_after(settings: Settings) -> float:
    """Seconds without a call after which an agent is not heard of any more."""
    return max(settings.lease_seconds, settings.long_poll_seconds + 15)


_DATABASE_AWAY = PartRead(
    name="database",
    condition="away",
    missing="nothing can be read or kept; agents keep what they measure on their own disks",
    mend="start PostgreSQL; WEIGHHOUSE_DATABASE_URL says where it is looked for",
)
_REDIS_AWAY = PartRead(
    name="redis",
    condition="away",
    missing="no new work is handed to the worker, and live views are slower; nothing is lost",
    mend="start Redis; WEIGHHOUSE_REDIS_URL says where it is looked for. It may be empty",
)
_START = "start `celery -A weighhouse_worker"
_EMBEDDED = "the embedded platform tries so every minute: its log tells why it ended"
_UNSIGNED: dict[SignedPart, tuple[str, str]] = {
    "worker": (
        "no run is given to an agent, settled or judged; what is measured is taken in all the same",
        f"{_START}.app:app worker`; {_EMBEDDED}",
    ),
    "timetable": (
        "schedules do not start, and lost work is not looked for",
        f"{_START}.beat:app beat`, once; {_EMBEDDED}",
    ),
}


def _unknown(name: PartName) -> PartRead:
    return PartRead(name=name, condition="unknown")


def _answered(error: Exception) -> bool:
    """Whether it was the server itself that refused a statement."""
    state = getattr(getattr(error, "orig", None), "sqlstate", None)
    return state is not None and not state.startswith(SHUTTING_DOWN)
