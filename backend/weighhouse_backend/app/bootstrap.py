"""What a new installation begins with: `python -m weighhouse_backend.app.bootstrap`.

Reads WEIGHHOUSE_ADMIN_EMAIL and WEIGHHOUSE_ADMIN_PASSWORD (and WEIGHHOUSE_ADMIN_TOKEN, a token of
an earlier call) from the environment, and prints one JSON document: `user_id`, `project_id`,
`api_token`, `registration_token`. Repeatable: what is there stays. With WEIGHHOUSE_OWN_MACHINE=1
the registration token enrols the platform's own machine, whose manifests are in force in the
project by themselves.
"""

import datetime
import json
import os
import sys

from weighhouse_backend.catalog.service import CatalogService
from weighhouse_backend.fleet.service import FleetService
from weighhouse_backend.identity.grants import founding
from weighhouse_backend.identity.installation import FirstUserService
from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.db import make_engine, make_session_factory
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.kit.unit_of_work import unit_of_work

REGISTRATION_LIFETIME = datetime.timedelta(minutes=15)


def bootstrap(
    settings: Settings, email: str, password: str, token: str | None, *, own_machine: bool = False
) -> dict[str, str]:
    """Ensure first user, organization, project and tokens.

    :param token: an API token that an earlier call made; it is kept while it is valid.
    :param own_machine: the registration token enrols the platform's own machine.
    :returns: ids and tokens; the registration token is new each time.
    """
    engine = make_engine(settings.database_url)
    clock = SystemClock()
    try:
        with unit_of_work(make_session_factory(engine)) as session:
            first = FirstUserService(session, clock)
            user, project = first.ensure(email, password)
            api_token = first.ensure_token(project, "command line", token)
            fleet = FleetService(session, clock, settings, CatalogService(session, clock))
            registration = fleet.issue_registration(
                founding(project_id=project.id),
                "installation",
                labels={},
                roles=["driver", "server"],
                lifetime=REGISTRATION_LIFETIME,
                trusted=own_machine,
            )
            return {
                "user_id": str(user.id),
                "organization_id": str(project.organization_id),
                "project_id": str(project.id),
                "api_token": api_token,
                "registration_token": registration.token,
            }
    finally:
        engine.dispose()


def main() -> int:
    """Read the environment, print the document."""
    email = os.environ.get("WEIGHHOUSE_ADMIN_EMAIL")
    password = os.environ.get("WEIGHHOUSE_ADMIN_PASSWORD")
    if not email or not password:
        sys.stderr.write("set WEIGHHOUSE_ADMIN_EMAIL and WEIGHHOUSE_ADMIN_PASSWORD\n")
        return 2
    settings = Settings()
    made = bootstrap(
        settings, email, password, os.environ.get("WEIGHHOUSE_ADMIN_TOKEN"),
        own_machine=os.environ.get("WEIGHHOUSE_OWN_MACHINE") == "1",
    )  # fmt: skip
    sys.stdout.write(json.dumps(made) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
