"""Forgets somebody: `python -m weighhouse_backend.app.forget_person EMAIL [--dry-run]`.

For whoever keeps the installation, on its machine, with the login that owns the tables
(`WEIGHHOUSE_OWNER_DATABASE_URL`, else `WEIGHHOUSE_DATABASE_URL`). Prints as JSON what was replaced
and removed; with `--dry-run` nothing is. Exit status 4: there is no such person, an organization
would be left without an owner, or the login may not do it.
"""

import json
import os
import sys
from dataclasses import asdict

from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.db import make_engine, make_session_factory
from weighhouse_backend.kit.problems import Problem
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.membership.erasure import ForgettingService

REFUSED = 4


def main(arguments: list[str]) -> int:
    """Forget whose address is given."""
    dry_run = "--dry-run" in arguments
    addresses = [one for one in arguments if not one.startswith("--")]
    if len(addresses) != 1 or set(arguments) - {*addresses, "--dry-run"}:
        sys.stderr.write("whom? give one address, and --dry-run to look beforehand\n")
        return 2
    settings = Settings()
    engine = make_engine(os.environ.get("WEIGHHOUSE_OWNER_DATABASE_URL") or settings.database_url)
    try:
        with make_session_factory(engine)() as session:
            found = ForgettingService(session, SystemClock()).forget(addresses[0])
            if not dry_run:
                session.commit()
        sys.stdout.write(f"{json.dumps(asdict(found))}\n")
    except Problem as error:
        sys.stderr.write(f"{error.detail}\n")
        return REFUSED
    finally:
        engine.dispose()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
