"""A server that ends before it serves tells its own last words, however it ends."""

import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from weighhouse_plugin_redis import PLUGIN
from weighhouse_protocol.target import Target
from weighhouse_sdk.context import Context, HostOptions
from weighhouse_sdk.errors import DeployFailed, NotReady
from weighhouse_sdk.lifecycle import Deployed

SERVER = str(shutil.which("redis-server"))
SCRIPT = """#!/bin/sh
case "$*" in *--maxmemory*) ;; *) exec {server} "$@" ;; esac
{ending}
"""
"""Redis, for as long as nothing is set: as it is when it is asked for version and defaults."""


@pytest.fixture
def folder(server_directory: Path, tmp_path: Path) -> Iterator[Path]:
    """For a program that every account may start."""
    path = server_directory / tmp_path.name
    path.mkdir(mode=0o755)
    yield path
    shutil.rmtree(path)


def started(ending: str, folder: Path, tmp_path: Path) -> tuple[Context, Deployed]:
    """A server that ends as a shell is told to, once it has parameters."""
    script = folder / "redis-server"
    script.write_text(SCRIPT.format(server=SERVER, ending=ending), encoding="utf-8")
    script.chmod(0o755)
    options = replace(HostOptions(), search_path=f"{folder}:{os.environ['PATH']}")
    target = Target(name="t", system="redis", parameters={"maxmemory_bytes": 10_000_000})
    context = Context.open(target, tmp_path / "attempt", options=options)
    return context, PLUGIN.deploy(context)


def refusal(ending: str, folder: Path, tmp_path: Path) -> NotReady:
    context, deployed = started(ending, folder, tmp_path)
    try:
        with pytest.raises(NotReady) as caught:
            PLUGIN.wait_ready(context, deployed)
    finally:
        PLUGIN.stop(context, deployed)
        PLUGIN.clean_up(context)
    return caught.value


@pytest.mark.parametrize(
    ("ending", "message"),
    [
        ("echo 'Unable to begin: too small'; exit 0", "0 before it was ready: Unable to begin"),
        ("echo 'FATAL: no room' >&2; exit 1", "1 before it was ready: FATAL: no room"),
        ("echo 'bad page'; kill -ABRT $$", "-6 (SIGABRT) before it was ready: bad page"),
        ("echo 'bad page'; sh -c 'kill -SEGV $$'", "139 (SIGSEGV) before it was ready:"),
        ("echo 'cannot open x' >own.log; exit 3", "3 before it was ready: own.log: cannot open x"),
        ("mkdir logs; echo 'went away' >logs/err.log; exit 0", "ready: err.log: went away"),
        ("printf '\\033[31mnot allowed\\033[0m\\n'; exit 1", "ready: not allowed"),
    ],
)
def test_whatever_the_exit_code_and_wherever_it_wrote(
    ending: str, message: str, folder: Path, tmp_path: Path
) -> None:
    error = refusal(ending, folder, tmp_path)
    assert f"Redis has ended with {message}" in error.message or message in error.message
    assert error.log_lines
    assert error.hint == "its last lines tell why"


def test_the_reason_is_not_lost_behind_a_stack(folder: Path, tmp_path: Path) -> None:
    ending = (
        "echo 'Exception: no library'; for i in $(seq 60); do echo \"   at f$i()\"; done; exit 1"
    )
    error = refusal(ending, folder, tmp_path)
    assert error.message.endswith("before it was ready: Exception: no library")
    assert error.log_lines[0] == "Exception: no library"
    assert error.log_lines[-1] == "   at f60()"


def test_a_log_of_writes_is_not_words(folder: Path, tmp_path: Path) -> None:
    error = refusal("printf 'error\\000\\001' >000004.log; exit 5", folder, tmp_path)
    assert error.log_lines == ()
    assert error.message == "Redis has ended with 5 before it was ready"
    assert error.hint.startswith("it left without a word; start it by hand to see more: ")


def test_real_redis_into_a_log_of_its_own(folder: Path, tmp_path: Path) -> None:
    ending = f'mkdir appendonly.aof; exec {SERVER} "$@" --logfile redis.log --dir /proc'
    error = refusal(ending, folder, tmp_path)
    assert "has ended with 1" in error.message
    assert error.log_lines


def test_words_are_those_of_this_start(folder: Path, tmp_path: Path) -> None:
    """A log goes on when a node is started again; what it said in its life before tells nothing."""
    body = "test -e lived && exit 7; touch lived; echo 'Error of before'; exec {server} \"$@\""
    context, deployed = started(body.format(server=SERVER), folder, tmp_path)
    try:
        PLUGIN.wait_ready(context, deployed)
        (node,) = deployed.nodes
        node.down = True
        node.body.kill()
        with pytest.raises(NotReady) as caught:
            PLUGIN._bring_back(context, deployed, node)
        assert caught.value.message == "Redis has ended with 7 before it was ready"
        assert caught.value.log_lines == ()
    finally:
        PLUGIN.stop(context, deployed)
        PLUGIN.clean_up(context)


@pytest.mark.skipif(os.geteuid() != 0, reason="who is not root becomes nobody")
def test_a_program_in_a_closed_folder_is_told_before_the_start(
    folder: Path, tmp_path: Path
) -> None:
    folder.chmod(0o700)
    with pytest.raises(DeployFailed) as caught:
        started("exit 0", folder, tmp_path)
    assert f"cannot use {folder}/redis-server: the folder {folder} (drwx------" in str(caught.value)
    assert f"`chmod o+x {folder}`" in caught.value.hint


def test_a_program_that_does_not_tell_its_version_tells_why(folder: Path) -> None:
    script = folder / "redis-server"
    script.write_text("#!/bin/sh\necho 'You must install a runtime' >&2; exit 131\n", "utf-8")
    script.chmod(0o755)
    options = replace(HostOptions(), search_path=str(folder))
    with pytest.raises(DeployFailed) as caught:
        PLUGIN.check_host(Target(name="t", system="redis"), options)
    assert "--version ended with 131: You must install a runtime" in caught.value.message
