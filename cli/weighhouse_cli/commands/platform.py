"""`weighhouse up` and `weighhouse demo`: the embedded platform."""

import os
import shlex
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from weighhouse_protocol import pages

from weighhouse_cli.client import Access, Client
from weighhouse_cli.commands.options import DataDirectory
from weighhouse_cli.console import OUT, follow, show_medians, show_verdict
from weighhouse_cli.embedded.binaries import search_path
from weighhouse_cli.embedded.directory import (
    DEFAULT_PORT,
    PlatformDirectory,
    default_directory,
)
from weighhouse_cli.embedded.errors import PlatformError
from weighhouse_cli.embedded.platform import Platform, PlatformOptions
from weighhouse_cli.exits import Exit
from weighhouse_cli.first_look import fitted, systems_here
from weighhouse_cli.resources import clone, resource

QUICKSTART = frozenset({"redis", "memcached", "rocksdb"})
"""What the quickstart weighs; where one of them is not, a first look weighs what is."""
Port = Annotated[
    int,
    typer.Option(help="Port of the web interface on 127.0.0.1.", envvar="WEIGHHOUSE_PORT"),
]


class Foreground(StrEnum):
    """Parts that can be debugged in the terminal."""

    BACKEND = "backend"
    WORKER = "worker"


def up(
    port: Port = DEFAULT_PORT,
    data_dir: DataDirectory = None,
    agent: Annotated[bool, typer.Option(help="Start a local agent.")] = True,
    dev: Annotated[
        bool,
        typer.Option(
            help="For those who change Weighhouse: also start the frontend's development server, "
            "and start backend, worker and agent anew when their code changes."
        ),
    ] = False,
    debug: Annotated[
        Foreground | None,
        typer.Option(
            help="Run this part in the terminal, so that `breakpoint()` works in it; code that "
            "changes is loaded anew."
        ),
    ] = None,
) -> None:
    """Start the platform on this machine, and keep it up until interrupted."""
    sources = sources_of_the_pages() if dev else None
    with ExitStack() as stack:
        platform, interrupted = stack.enter_context(
            running(port, data_dir, agent=agent, reload=dev or debug is not None, foreground=debug)
        )
        if sources is not None:
            stack.enter_context(development_server(sources, platform.url))
        wait(interrupted)


def demo(
    once: Annotated[bool, typer.Option(help="End after the comparison.")] = False,
    port: Port = DEFAULT_PORT,
    data_dir: DataDirectory = None,
    file: Annotated[
        Path | None,
        typer.Option(help="The experiment to run; default: what this machine has, weighed."),
    ] = None,
) -> None:
    """Start the platform, weigh the systems that are here, and show where to look."""
    text = file.read_text(encoding="utf-8") if file else first_look()
    with running(port, data_dir) as (platform, interrupted):
        token = str(platform.credentials["api_token"])
        client = Client(Access(url=platform.url, token=token))
        experiment = client.post("/experiments", {"yaml": text}, repeatable=True, upsert="true")
        campaign = client.post("/campaigns", {"experiment_id": experiment["id"]}, repeatable=True)
        page = pages.at(platform.url, pages.campaign(campaign["id"]))
        OUT.print(
            f"\n{experiment['name']}: {campaign['runs']['total']} runs; watch them at {page}\n",
            soft_wrap=True,
        )
        campaign = _follow(client, campaign["id"], interrupted)
        if interrupted.is_set():
            raise typer.Exit(Exit.INTERRUPTED)
        show_medians(client.get("/comparisons", campaign=campaign["id"]))
        OUT.print(
            "Driver and systems share this machine: read the differences, not the heights.",
            style="dim",
        )
        page = pages.at(platform.url, pages.comparison(campaign["id"]))
        OUT.print(f"\ncomparison  {page}", soft_wrap=True)
        show_verdict(client.get(f"/campaigns/{campaign['id']}/gate"))
        if once:
            failed = campaign["status"] != "completed" or campaign["runs"]["failed"] > 0
            raise typer.Exit(Exit.INFRASTRUCTURE if failed else Exit.PASSED)
        wait(interrupted)


def first_look() -> str:
    """The experiment of the demo: the three of the quickstart, or what is here in their place.

    :raises PlatformError: when too little is here to be compared.
    """
    here = systems_here(search_path())
    name = "quickstart.yaml" if here >= QUICKSTART else "first-look.yaml"
    return fitted((resource("experiments") / name).read_text(encoding="utf-8"), here)


def _follow(client: Client, campaign_id: str, interrupted: threading.Event) -> dict[str, Any]:
    found: dict[str, Any] = {}

    def watch() -> None:
        found.update(follow(client, campaign_id))

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    while watcher.is_alive() and not interrupted.is_set():
        watcher.join(0.2)
    return found


@contextmanager
def running(
    port: int,
    data_dir: Path | None,
    *,
    agent: bool = True,
    reload: bool = False,
    foreground: str | None = None,
) -> Iterator[tuple[Platform, threading.Event]]:
    """A platform that lives until the context ends, and an event that tells of an interrupt.

    :raises PlatformError: when it cannot start; nothing is left running then.
    """
    interrupted = threading.Event()
    started = threading.Event()

    def interrupt(number: int, _frame: object) -> None:
        interrupted.set()
        if not started.is_set():
            raise KeyboardInterrupt(signal.Signals(number).name)

    before = {
        number: signal.signal(number, interrupt)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    }
    options = PlatformOptions(
        directory=data_dir or default_directory(),
        port=port,
        agent=agent,
        reload=reload,
        foreground=foreground,
    )
    first_time = not PlatformDirectory(options.directory).first_user().exists()
    try:
        OUT.print(f"Weighhouse, data in {options.directory}", soft_wrap=True)
        with Platform(options, _show_part, _show_notice) as platform:
            started.set()
            _introduce(platform, first_time=first_time)
            if platform.directory.path != default_directory().absolute():
                found = f"export WEIGHHOUSE_DATA_DIR={shlex.quote(str(platform.directory.path))}"
                OUT.print(f"  other commands find it by: {found}", soft_wrap=True, markup=False)
            yield platform, interrupted
            OUT.print("stopping", style="dim")
    finally:
        # What stops is not interrupted a second time.
        for number, handler in before.items():
            signal.signal(number, handler)


def _show_part(name: str, word: str) -> None:
    styles = {
        "ready": "green",
        "died": "yellow",
        "gone": "red",
        "restarting": "yellow",
        "reloading": "dim",
        "stopped": "dim",
    }
    if word in styles:
        OUT.print(f"  {name:<12} {word}", style=styles[word])


def _show_notice(text: str) -> None:
    OUT.print(f"\n{text}\n", style="yellow", soft_wrap=True, markup=False)


def _introduce(platform: Platform, *, first_time: bool) -> None:
    password = f"kept in {platform.directory.first_user()}"
    if first_time:
        password = f"{platform.credentials['password']}  (shown this once, {password})"
    for name, value in {
        "address": platform.url,
        "user": platform.credentials["email"],
        "password": password,
        "logs": platform.directory.folder("logs"),
    }.items():
        OUT.print(f"  {name:<9} {value}", soft_wrap=True, markup=False)


def wait(interrupted: threading.Event) -> None:
    """Until interrupted; parts that end are looked after meanwhile."""
    OUT.print("\nCtrl-C stops everything; the data stays.", style="dim")
    interrupted.wait()


def sources_of_the_pages() -> Path:
    """The folder `frontend` of the clone that this is.

    :raises PlatformError: when it was installed.
    """
    root = clone()
    if root is None:
        raise PlatformError("`--dev` needs a clone of Weighhouse: what is installed has no sources")
    return root / "frontend"


@contextmanager
def development_server(sources: Path, backend: str) -> Iterator[None]:
    """Vite's server over the running backend, stopped with the context.

    :param sources: the folder `frontend` of a clone.
    :raises PlatformError: when npm is missing.
    """
    npm = shutil.which("npm")
    if npm is None:
        raise PlatformError("npm is missing: install Node.js 20 or newer")
    environment = {**os.environ, "WEIGHHOUSE_BACKEND": backend}
    process = subprocess.Popen(
        [npm, "run", "dev"], cwd=sources, env=environment, start_new_session=True
    )
    try:
        yield
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(10)
