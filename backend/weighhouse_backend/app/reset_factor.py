"""Takes somebody's second factor off: `python -m weighhouse_backend.app.reset_factor EMAIL`.

For whoever keeps the installation, on its machine: when an owner lost authenticator and recovery
codes, nobody else lets them in. All logins of the person end; it stands in the audit log, and they
are told by mail. Exit status 4: there is no such person, or they have no second factor.
"""

import sys

from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.db import make_engine, make_session_factory
from weighhouse_backend.kit.problems import NotFound
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.sign_in.factors import FactorService

UNKNOWN = 4


def main(arguments: list[str]) -> int:
    """Reset the second factor of the address that is given."""
    if len(arguments) != 1:
        sys.stderr.write("whose? give one address\n")
        return 2
    settings = Settings()
    engine = make_engine(settings.database_url)
    try:
        with unit_of_work(make_session_factory(engine)) as session:
            FactorService(session, SystemClock(), settings).reset_on_machine(arguments[0])
    except NotFound as error:
        sys.stderr.write(f"{error.detail}\n")
        return UNKNOWN
    finally:
        engine.dispose()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
