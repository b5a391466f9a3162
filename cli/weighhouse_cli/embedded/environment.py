"""The settings of an embedded platform's parts, as environment variables."""

import os
from collections.abc import Mapping

from weighhouse_cli.embedded.binaries import search_path
from weighhouse_cli.embedded.directory import FORMER_KEYS, KEY, PlatformDirectory
from weighhouse_cli.embedded.servers import APPLICATION_LOGIN, postgres_url, redis_url
from weighhouse_cli.resources import clone, resource

PASSED_ON = (
    "WEIGHHOUSE_CACHE",
    "WEIGHHOUSE_DRIVERS",
    "WEIGHHOUSE_LOG_LEVEL",
    "WEIGHHOUSE_PACKAGES_DIR",
    "WEIGHHOUSE_PUBLIC_CA_FILE",
    "WEIGHHOUSE_TRACES_ENDPOINT",
)
"""Settings of the caller that reach the parts; what else stands in the environment does not."""
SECRET_SETTINGS = ("DATABASE_URL", "REDIS_URL", "SECRET_KEY_FILE", "FORMER_SECRET_KEYS_FILE")
"""What never reaches the agent."""


def settings_of(
    home: PlatformDirectory, database_url: str, redis_url: str, url: str
) -> dict[str, str]:
    """The environment of the parts, the agent apart; draws the secret key when there is none yet.

    :param database_url: for SQLAlchemy, with the login that the parts use.
    :param url: where people find the platform.
    """
    home.secret(KEY)
    return {
        **_packages(),
        **_of_the_caller(),
        "PATH": search_path(),
        "PYTHONUNBUFFERED": "1",
        # Parts start in the data directory, from which nothing is imported.
        "PYTHONSAFEPATH": "1",
        "WEIGHHOUSE_DATABASE_URL": database_url,
        "WEIGHHOUSE_REDIS_URL": redis_url,
        "WEIGHHOUSE_PUBLIC_URL": url,
        "WEIGHHOUSE_FRONTEND_DIR": str(resource("frontend")),
        "WEIGHHOUSE_EXPERIMENTS_DIR": str(resource("experiments")),
        "WEIGHHOUSE_DOCS_DIR": str(resource("docs")),
        "WEIGHHOUSE_MIGRATIONS_DIR": str(resource("migrations")),
        "WEIGHHOUSE_ARTIFACT_DIR": str(home.folder("artifacts")),
        "WEIGHHOUSE_SECRET_KEY_FILE": str(home.folder("secrets") / KEY),
        "WEIGHHOUSE_FORMER_SECRET_KEYS_FILE": str(home.folder("secrets") / FORMER_KEYS),
        # On one machine nothing is far away: what is lost is noticed soon.
        "WEIGHHOUSE_HEARTBEAT_SECONDS": "3",
        "WEIGHHOUSE_LEASE_SECONDS": "20",
        "WEIGHHOUSE_LOST_AFTER_SECONDS": "60",
        "WEIGHHOUSE_LONG_POLL_SECONDS": "20",
        "WEIGHHOUSE_SWEEP_SECONDS": "5",
    }


def _packages() -> Mapping[str, str]:
    """Those that `make packages` built in this clone, where it did."""
    root = clone()
    built = None if root is None else root / "build" / "packages"
    found = built is not None and (built / "release.json").is_file()
    return {"WEIGHHOUSE_PACKAGES_DIR": str(built)} if found else {}


def settings_of_running(home: PlatformDirectory) -> dict[str, str]:
    """The same for a program beside a platform that runs on a directory."""
    known = home.remembered()
    database = postgres_url(
        APPLICATION_LOGIN, home.secret(APPLICATION_LOGIN), known["ports"]["postgresql"]
    )
    broker = redis_url(home.secret("redis"), known["ports"]["redis"])
    return settings_of(home, database, broker, known["url"])


def _of_the_caller() -> Mapping[str, str]:
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("WEIGHHOUSE_") or name in PASSED_ON
    }
