"""Makes the application's login: `python -m weighhouse_backend.kit.database_login`.

Reads WEIGHHOUSE_OWNER_DATABASE_URL, whose user owns the tables, and WEIGHHOUSE_DATABASE_URL, whose
user is made: no superuser, owner of nothing, with the rights of the roles of migration 0019. To be
run after the migrations. Repeatable: the password is set anew. With one user for both there is
nothing to make, and a word about it.
"""

import os
import sys

import psycopg
from psycopg import Connection, sql
from sqlalchemy import URL, Engine, make_url, text

from weighhouse_backend.kit.tenancy import PEOPLE_ROLE, SERVICE_ROLE, TENANT_ROLE

OWNER = "WEIGHHOUSE_OWNER_DATABASE_URL"
APPLICATION = "WEIGHHOUSE_DATABASE_URL"
NOTHING_MORE = sql.SQL("NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS")
_TOO_MUCH = text(
    "SELECT rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb OR EXISTS ("
    " SELECT FROM pg_class WHERE relowner = r.oid AND relnamespace = 'public'::regnamespace)"
    " FROM pg_roles r WHERE rolname = session_user"
)
OWNS_TABLES = (
    "the application's database login is a superuser, or owns tables: row-level security holds in "
    "confined transactions, but whoever takes over the application takes over the database; "
    f"docs/compose.md tells how to give it a login of its own ({OWNER})"
)


def ensure_login(owner_url: str, application_url: str) -> bool:
    """Make the application's login, or set its password and rights right.

    :param owner_url: of a user who owns the tables and may create roles.
    :param application_url: of the login, with its password; the same database.
    :returns: False when both name one user: nothing was changed.
    """
    owner, application = make_url(owner_url), make_url(application_url)
    if owner.username == application.username:
        return False
    with psycopg.connect(_plain(owner), autocommit=True, connect_timeout=10) as connection:
        _ensure(connection, str(application.username), str(application.password or ""))
    return True


def _ensure(connection: Connection, name: str, password: str) -> None:
    login = sql.Identifier(name)
    # The server is told what it would store, so that no log of it can hold the password.
    stored = connection.pgconn.encrypt_password(password.encode(), name.encode(), b"scram-sha-256")
    known = connection.execute("SELECT FROM pg_roles WHERE rolname = %s", [name]).fetchone()
    verb = sql.SQL("CREATE") if known is None else sql.SQL("ALTER")
    connection.execute(
        sql.SQL("{} ROLE {} LOGIN PASSWORD {}").format(verb, login, sql.Literal(stored.decode()))
    )
    more = connection.execute(
        "SELECT rolsuper OR rolcreatedb OR rolcreaterole OR rolreplication OR rolbypassrls"
        " FROM pg_roles WHERE rolname = %s",
        [name],
    ).fetchone()
    if more == (True,):  # a new role has none of these, and only a superuser may speak of them
        connection.execute(sql.SQL("ALTER ROLE {} {}").format(login, NOTHING_MORE))
    groups = sql.SQL(", ").join(map(sql.Identifier, (TENANT_ROLE, PEOPLE_ROLE, SERVICE_ROLE)))
    connection.execute(sql.SQL("GRANT {} TO {}").format(groups, login))


def may_too_much(engine: Engine) -> bool:
    """Whether the login that an engine uses could change tables, roles, or what policies hide."""
    with engine.connect() as connection:
        return connection.scalar(_TOO_MUCH) is True


def _plain(url: URL) -> str:
    return url.set(drivername="postgresql").render_as_string(hide_password=False)


def main() -> int:
    """Read the environment, make the login."""
    application = os.environ.get(APPLICATION, "")
    owner = os.environ.get(OWNER, "")
    if not application:
        sys.stderr.write(f"set {APPLICATION}\n")
        return 2
    if not owner or not ensure_login(owner, application):
        sys.stderr.write(f"no login was made: {OWNS_TABLES}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
