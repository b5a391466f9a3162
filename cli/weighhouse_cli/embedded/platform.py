"""The whole platform in embedded form: servers, migrations, first user, backend, worker, agent."""

import contextlib
import datetime
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import httpx
from weighhouse_agent.machine.home import Home
from weighhouse_agent.supervisor.enrolment import EnrolmentError, enrol, load_identity
from weighhouse_agent.supervisor.program import NOT_ENROLLED, NOT_WANTED

from weighhouse_cli.embedded import programs
from weighhouse_cli.embedded.directory import (
    ADMIN_EMAIL,
    AGENT,
    AGENT_NAME,
    DEFAULT_PORT,
    PlatformDirectory,
    default_directory,
    require_free,
)
from weighhouse_cli.embedded.environment import SECRET_SETTINGS, settings_of
from weighhouse_cli.embedded.errors import PlatformError
from weighhouse_cli.embedded.part import Dispensable, PartPlan
from weighhouse_cli.embedded.reload import Reloader
from weighhouse_cli.embedded.servers import (
    APPLICATION_LOGIN,
    postgres,
    postgres_url,
    redis,
    require_shared_memory,
)
from weighhouse_cli.embedded.supervisor import Listener, Notice, Supervisor
from weighhouse_cli.resources import resource

START_SECONDS = 300.0
"""How long a part of ours may take to be ready; a busy machine takes its time to import."""


@dataclass(frozen=True, slots=True)
class PlatformOptions:
    """How an embedded platform is set up."""

    directory: Path = field(default_factory=default_directory)
    port: int = DEFAULT_PORT
    """Of the web interface and the API, on 127.0.0.1."""
    agent: bool = True
    """Start a local agent."""
    durable: bool = True
    """False: PostgreSQL may lose data at power loss; for tests."""
    settings: Mapping[str, str] = field(default_factory=dict)
    """Further settings for every part, as environment variables."""
    reload: bool = False
    """Start backend, worker, beat and agent anew when their code changes."""
    foreground: str | None = None
    """A part that gets the terminal of the caller, so that it can be debugged there."""


class Platform:
    """A running embedded platform; leaving its context stops everything that it started."""

    def __init__(
        self,
        options: PlatformOptions,
        listener: Listener | None = None,
        notice: Notice | None = None,
    ) -> None:
        """:param listener: told about each part, for progress.
        :param notice: told what a person has to know while the platform goes on.
        """
        self.options = options
        self.directory = PlatformDirectory(options.directory)
        self.supervisor = Supervisor()
        if listener is not None:
            self.supervisor.listener = listener
        self._notice = notice
        self.supervisor.notice = self._noticed
        self.url = f"http://127.0.0.1:{options.port}"
        self.credentials: dict[str, Any] = {}
        """`email`, `password`, `api_token`, `project_id` of the first user."""
        self.database_url = ""
        """For SQLAlchemy, once it runs, with the application's login, which owns nothing; of no use
        outside this machine."""
        self.owner_database_url = ""
        """The same with the login that owns the tables: for migrations, and whoever looks after the
        database."""
        self.redis_url = ""
        self._registration_token = ""
        self._reloading = contextlib.ExitStack()
        # Its backend stands behind no proxy, and what it leads to may be killed at any time.
        self._http = httpx.Client(trust_env=False, limits=httpx.Limits(max_keepalive_connections=0))

    def __enter__(self) -> Self:
        """Start everything; takes some seconds.

        :raises PlatformError: with the reason; whatever was started by then is stopped.
        """
        self.directory.__enter__()
        try:
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """Stop everything in reverse order."""
        self._reloading.close()
        try:
            self.supervisor.stop()
        finally:
            self._http.close()
            self.directory.__exit__()

    def _start(self) -> None:
        require_free(self.options.port)
        require_shared_memory()
        home = self.directory
        records, logs = home.folder("parts"), home.folder("logs")
        port = home.port("postgresql")
        database = postgres(
            home.folder("postgresql"), logs, records, port, home.secret("postgresql"),
            durable=self.options.durable,
        )  # fmt: skip
        self.supervisor.start(database.plan)
        broker = redis(
            home.folder("redis"), logs, records, home.port("redis"), home.secret("redis")
        )
        self.supervisor.start(broker.plan)
        self.owner_database_url = database.url
        self.database_url = postgres_url(APPLICATION_LOGIN, home.secret(APPLICATION_LOGIN), port)
        self.redis_url = broker.url
        environment = self._environment()
        self._prepare_database(environment)
        self._first_user(environment)
        require_free(self.options.port)
        for plan in self._own_parts(environment):
            self.supervisor.start(plan)
        if self.options.agent:
            self._start_agent(environment)
        home.remember(
            {"url": self.url, "port": self.options.port, "process": os.getpid(), "missing": {}}
        )
        self.supervisor.watch()
        if self.options.reload:
            running = {part.plan.name for part in self.supervisor.parts}
            code = {name: one for name, one in programs.code().items() if name in running}
            self._reloading.enter_context(Reloader(self.supervisor, code))

    def _noticed(self, text: str) -> None:
        """Keep what is missing where `weighhouse status` finds it, and tell whoever listens."""
        with contextlib.suppress(OSError):  # a full disk stops nobody from looking after the parts
            self.directory.remember({"missing": self.supervisor.missing()})
        if self._notice is not None:
            self._notice(text)

    def _environment(self) -> dict[str, str]:
        known = settings_of(self.directory, self.database_url, self.redis_url, self.url)
        return {**known, **self.options.settings}

    def run(self, name: str, *arguments: str) -> str:
        """Run a program of the platform to its end, with the settings of its parts; its output.

        What it tells meanwhile on standard error is told on ours.

        :param arguments: of Python: `-m`, the module, and what it takes.
        :raises PlatformError: when it fails.
        """
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=self.directory.path,
            env=self._environment(),
            stdout=subprocess.PIPE,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise PlatformError(f"{name} failed with status {done.returncode}; see what it said")
        return done.stdout

    def _run(self, name: str, arguments: list[str], environment: Mapping[str, str]) -> str:
        self.supervisor.listener(name, "starting")
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=self.directory.path,
            env=dict(environment),
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            reason = "\n".join(done.stderr.splitlines()[-12:])
            raise PlatformError(f"{name} failed with status {done.returncode}:\n{reason}")
        self.supervisor.listener(name, "ready")
        return done.stdout

    def _prepare_database(self, environment: Mapping[str, str]) -> None:
        """Migrate as the owner, whose password no part that answers anybody gets."""
        as_owner = {**environment, "WEIGHHOUSE_OWNER_DATABASE_URL": self.owner_database_url}
        self._run(
            "migrations",
            ["-m", "alembic", "-c", str(resource("migrations") / "alembic.ini"), "upgrade", "head"],
            as_owner,
        )
        self._run("database login", ["-m", "weighhouse_backend.kit.database_login"], as_owner)

    def _first_user(self, environment: Mapping[str, str]) -> None:
        path = self.directory.first_user()
        before = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        password = self.directory.secret("admin-password")
        answer = self._run(
            "first user",
            ["-m", "weighhouse_backend.app.bootstrap"],
            {
                **environment,
                "WEIGHHOUSE_ADMIN_EMAIL": ADMIN_EMAIL,
                "WEIGHHOUSE_ADMIN_PASSWORD": password,
                "WEIGHHOUSE_ADMIN_TOKEN": before.get("api_token", ""),
                "WEIGHHOUSE_OWN_MACHINE": "1",
            },
        )
        made = json.loads(answer)
        self._registration_token = made.pop("registration_token")
        self.credentials = {**made, "email": ADMIN_EMAIL, "password": password}
        self.directory.keep(path, json.dumps(self.credentials, indent=2))

    def _own_parts(self, environment: Mapping[str, str]) -> list[PartPlan]:
        # Celery tells of every task, every few seconds; nobody reads that until something is wrong.
        calm = {"WEIGHHOUSE_LOG_LEVEL": "WARNING", **environment}
        return [
            self._python(
                "backend", environment,
                *programs.backend(self.options.port, reload=self.options.reload),
                ready=self._backend_ready,
            ),
            self._python(
                "worker", calm, *programs.worker(foreground=self.options.foreground == "worker"),
                dispensable=self._without(
                    "worker", "What is measured is kept; no run is given out, settled or judged"
                ),
            ),
            self._python(
                "beat", calm, *programs.beat(),
                dispensable=self._without(
                    "beat", "Schedules do not start, and lost work is not looked for"
                ),
            ),
        ]  # fmt: skip

    def _without(self, name: str, meanwhile: str) -> Dispensable:
        return Dispensable(
            hint=f"{meanwhile} until it is back. It is tried again every minute; "
            f"{self.directory.log(name)} tells what it said last."
        )

    def _start_agent(self, environment: Mapping[str, str]) -> None:
        home = self.directory.folder(AGENT)
        if not self._is_enrolled(Home(home)):
            try:
                enrol(self.url, self._registration_token, home, name=AGENT_NAME)
            except EnrolmentError as error:
                raise PlatformError(f"the local agent cannot be enrolled: {error}") from error
        agent = {**environment, "WEIGHHOUSE_AGENT_HOME": str(home), "WEIGHHOUSE_URL": self.url}
        # The platform's own secrets never reach the agent.
        for name in SECRET_SETTINGS:
            agent.pop(f"WEIGHHOUSE_{name}")
        begun_at = datetime.datetime.now(tz=datetime.UTC)
        self.supervisor.start(
            self._python(
                AGENT,
                agent,
                *("-m", "weighhouse_agent", "start"),
                ready=lambda: self._agent_ready(begun_at),
                stop_seconds=40.0,
                territory=home,
                dispensable=Dispensable(
                    final=frozenset({NOT_ENROLLED, NOT_WANTED}),
                    hint="If it was revoked: `weighhouse agent enrol` on this machine, or the next "
                    f"start of the platform, enrols it again; {self.directory.log(AGENT)} tells "
                    "what it said last.",
                    renewed_by=Home(home).identity,
                ),
            )
        )

    def _is_enrolled(self, home: Home) -> bool:
        """Whether the platform knows the agent of a home, and has not revoked it."""
        try:
            identity = load_identity(home)
        except EnrolmentError:
            return False
        return any(
            agent["id"] == str(identity.agent_id) and agent["status"] != "revoked"
            for agent in self._agents()
        )

    def _python(
        self,
        name: str,
        environment: Mapping[str, str],
        *arguments: str,
        ready: Callable[[], bool] = lambda: True,
        stop_seconds: float = 15.0,
        territory: Path | None = None,
        dispensable: Dispensable | None = None,
    ) -> PartPlan:
        # Parts that nobody connects to are ready when they run; the supervisor watches on.
        return PartPlan(
            name=name,
            command=(sys.executable, *arguments),
            environment=environment,
            directory=self.directory.path,
            log=self.directory.log(name),
            record=self.directory.folder("parts") / f"{name}.json",
            ready=ready,
            ready_seconds=START_SECONDS,
            stop_seconds=stop_seconds,
            territory=territory,
            dispensable=dispensable,
            foreground=name == self.options.foreground,
        )

    def _backend_ready(self) -> bool:
        try:
            return self._http.get(f"{self.url}/health", timeout=2).is_success
        except httpx.HTTPError:
            return False

    def _agent_ready(self, since: datetime.datetime) -> bool:
        """Whether the agent of this start has told the platform which systems it brings."""
        return any(
            agent["plugins"]
            and agent["last_heartbeat_at"] is not None
            and datetime.datetime.fromisoformat(agent["last_heartbeat_at"]) >= since
            for agent in self._agents()
        )

    def _agents(self) -> list[dict[str, Any]]:
        """The agents as the platform knows them; none while it does not answer."""
        try:
            answer = self._http.get(
                f"{self.url}/api/v1/agents",
                headers={"Authorization": f"Bearer {self.credentials['api_token']}"},
                timeout=10,
            )
        except httpx.HTTPError:
            return []
        return list(answer.json()["items"]) if answer.is_success else []
