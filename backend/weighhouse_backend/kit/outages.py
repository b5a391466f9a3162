"""What ends a request for want of something outside: one place that knows each by its error.

Full disks, a database that is away, hangs, is full or takes no writes, Redis that is away: each is
a problem with a name of its own, and none is a fault of the program.
"""

import structlog
from fastapi import FastAPI, Request
from redis.exceptions import RedisError
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from starlette.responses import JSONResponse

from weighhouse_backend.kit.conditions import DATABASE_AWAY, FULL, NO_SPACE, Conditions
from weighhouse_backend.kit.problems import Problem, Unavailable, answer_to

log = structlog.get_logger(__name__)

AGAIN = {"Retry-After": "2"}
AGENTS = "/agent/"
IN_DATABASE, IN_FILES, WRITES = "database", "files", "writes"
"""What a condition is about."""


class NoSpace(Problem, status=507, title="There is no space left; nothing was kept of this"):
    """A disk of the platform is full."""


class DatabaseAway(Unavailable, title="The database does not answer; try again"):
    """PostgreSQL does not answer, or not as it should."""


class RedisAway(Unavailable, title="Redis does not answer; try again"):
    """Redis does not answer."""


FILES_FULL = "the disk below the platform's files is full"
DATABASE_FULL = "PostgreSQL's disk is full"
TAKES_NO_WRITES = "PostgreSQL takes no writes: it is a standby, or set to read only"
BY_STATE: dict[str, tuple[type[Problem], str]] = {
    "53100": (NoSpace, DATABASE_FULL),
    "53200": (DatabaseAway, "PostgreSQL has no memory left"),
    "53300": (DatabaseAway, "PostgreSQL has no connection left"),
    "53": (DatabaseAway, "PostgreSQL has too little of something"),
    "25006": (DatabaseAway, TAKES_NO_WRITES),
    "57014": (Unavailable, "the database took too long over this, and was stopped"),
    "57": (DatabaseAway, "PostgreSQL starts or stops"),
    "58": (DatabaseAway, "PostgreSQL cannot read or write its files"),
    "08": (DatabaseAway, "the connection to PostgreSQL broke"),
    "28": (DatabaseAway, "PostgreSQL refuses the login"),
    "3D": (DatabaseAway, "PostgreSQL does not have the database"),
    "55P03": (Unavailable, "others hold what this needs; try again"),
    "40": (Unavailable, "others changed what this needs meanwhile; try again"),
}
"""PostgreSQL's SQLSTATE, or how it begins → what it means here. The longer one counts."""
DOES_NOT_ANSWER = "the database does not answer"


def state_of(error: BaseException) -> str | None:
    """The SQLSTATE of an error of psycopg or SQLAlchemy; None: the server said nothing."""
    found = getattr(getattr(error, "orig", error), "sqlstate", None)
    return found if isinstance(found, str) else None


def outage_of(error: BaseException) -> Problem | None:
    """What an error means; None when it is no outage, but something wrong with us or a request."""
    if isinstance(error, OSError) and error.errno in FULL:
        return NoSpace(FILES_FULL, headers=AGAIN)
    if isinstance(error, RedisError):
        return RedisAway(headers=AGAIN)
    if isinstance(error, PoolTimeout):
        return Unavailable("all connections to the database are busy", headers=AGAIN)
    state = state_of(error) if isinstance(error, DBAPIError) else None
    known = BY_STATE.get(state or "") or BY_STATE.get((state or "")[:2])
    if known is not None:
        kind, words = known
        return kind(words, headers=AGAIN)
    if state is None and isinstance(error, OperationalError):
        return DatabaseAway(DOES_NOT_ANSWER, headers=AGAIN)
    return None


def note_outage(error: BaseException, conditions: Conditions) -> None:
    """Begin the condition that an error shows, where its end will be seen without another error."""
    if isinstance(error, OSError) and error.errno in FULL:
        conditions.begin(NO_SPACE, FILES_FULL, IN_FILES)
    elif (state := state_of(error)) == "53100":
        conditions.begin(NO_SPACE, DATABASE_FULL, IN_DATABASE)
    elif state == "25006":
        conditions.begin(DATABASE_AWAY, TAKES_NO_WRITES, WRITES)


def install_outages(app: FastAPI, conditions: Conditions) -> None:
    """Answer each outage with its problem; everything else of the same classes goes on."""

    async def on_outage(request: Request, error: Exception) -> JSONResponse:
        problem = outage_of(error)
        if problem is None:
            raise error
        note_outage(error, conditions)
        said = str(error.__cause__ or error).splitlines()[:1]
        log.warning("outage", problem=problem.slug, path=request.url.path, error=said)
        # Agents of every version keep what they have, and wait, at this status alone.
        waits = request.url.path.startswith(AGENTS)
        return answer_to(problem, request, Unavailable.status if waits else None)

    for kind in (DBAPIError, PoolTimeout, RedisError, OSError):
        app.add_exception_handler(kind, on_outage)
