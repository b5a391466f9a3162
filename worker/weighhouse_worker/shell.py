"""`python -m weighhouse_worker.shell`: a Python prompt over a platform's database.

What `weighhouse dev shell` runs, with the settings of the platform's parts. Reads Python from a
pipe, too. Read-only unless told otherwise: PostgreSQL itself refuses to write then.
"""

import argparse
import code
import readline
import rlcompleter
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import Any

from sqlalchemy import Engine, func, select, text
from weighhouse_backend.app.services import kinds
from weighhouse_backend.kit.db import Base
from weighhouse_backend.kit.logs import configure_library_logs
from weighhouse_backend.kit.settings import Settings

from weighhouse_worker import tasks
from weighhouse_worker.tools import Tools

BANNER = """\
Weighhouse's shell over {url}, {mode}

  session             rows of all tenants, in one transaction:
                      session.scalars(select(Run).limit(3)).all()
                      session.rollback() begins another, which sees what was written meanwhile
  select, func, text  of SQLAlchemy
  Agent, Run, ...     the {count} classes of tables; models: all of them, by name
  services            of the session's transaction: services.get(GateService), ...; kinds: all
                      classes of services, by name
  tasks, tools        what the worker carries out: tasks.sweep(tools)
  settings            of the platform's parts
"""
READ_ONLY = "read-only: PostgreSQL refuses to write. `make shell WRITE=1` may."
WRITE = """\
for writing. CAREFUL: nothing asks twice, and no service has looked at what is written by hand.

  session.commit()    keeps what this session wrote; leaving without it does not
  transaction()       `with transaction() as services:` commits at its end, and sends its jobs"""


class ReadingTools(Tools):
    """Tools whose transactions cannot write."""

    @cached_property
    def engine(self) -> Engine:
        """The database, which refuses to write."""
        return super().engine.execution_options(postgresql_readonly=True)


def models() -> dict[str, type[Base]]:
    """The classes of all tables, by name."""
    found = {mapper.class_.__name__: mapper.class_ for mapper in Base.registry.mappers}
    return dict(sorted(found.items()))


@contextmanager
def names(settings: Settings, *, write: bool = False) -> Iterator[dict[str, Any]]:
    """What is at hand in the prompt; the transaction is rolled back afterwards.

    :param write: allow it; else PostgreSQL refuses, in the tools' transactions, too.
    """
    tools = Tools(settings) if write else ReadingTools(settings)
    with tools.sessions() as session, tools.services(session) as services:
        found = {
            **models(),
            **kinds(),
            "models": models(),
            "session": session,
            "select": select,
            "func": func,
            "text": text,
            "services": services,
            "kinds": kinds(),
            "tasks": tasks,
            "tools": tools,
            "settings": settings,
        }
        try:
            yield {**found, "transaction": tools.transaction} if write else found
        finally:
            session.rollback()
            tools.redis.close()
            tools.engine.dispose()


def _complete(found: Mapping[str, Any]) -> None:
    readline.set_completer(rlcompleter.Completer(dict(found)).complete)
    readline.parse_and_bind("tab: complete")


def main() -> int:
    """Read the command line, and Python until its end."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="allow it")
    write = parser.parse_args().write
    signal.signal(signal.SIGINT, signal.default_int_handler)
    settings = Settings()
    configure_library_logs(settings.log_level)
    with names(settings, write=write) as found:
        _complete(found)
        banner = BANNER.format(
            url=settings.public_url, mode=WRITE if write else READ_ONLY, count=len(models())
        )
        sys.ps1, sys.ps2 = ("write>>> ", "write... ") if write else (">>> ", "... ")
        code.interact(banner=banner, local=found, exitmsg="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
