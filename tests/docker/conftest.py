"""A Docker engine, an image of our own, and Redis to be deployed from it."""

import os
from collections.abc import Iterator
from pathlib import Path

import docker
import pytest
from weighhouse_plugin_redis import PLUGIN
from weighhouse_protocol.target import Target
from weighhouse_sdk.context import Context, HostOptions
from weighhouse_sdk.lifecycle import Deployed

HOST_VARIABLE = "WEIGHHOUSE_TEST_DOCKER_HOST"
IMAGE = "weighhouse-test/servers:1"
VERBS = ("kill", "stop", "start", "restart", "pause", "resume")


@pytest.fixture(scope="session")
def docker_host():
    found = os.environ.get(HOST_VARIABLE)
    if not found:
        pytest.fail(f"{HOST_VARIABLE} names no Docker engine; `make test-docker` starts one")
    return found


@pytest.fixture(scope="session")
def client(docker_host) -> Iterator[docker.DockerClient]:
    client = docker.DockerClient(base_url=docker_host, version="auto")
    yield client
    assert client.containers.list(all=True) == [], "containers are left behind"
    client.close()


@pytest.fixture
def options(docker_host):
    return HostOptions(docker_host=docker_host)


@pytest.fixture(scope="session")
def plugin():
    """Redis, which lets itself be broken."""
    return type(PLUGIN)(PLUGIN.manifest.model_copy(update={"faults": VERBS}))


@pytest.fixture
def target():
    return Target(
        name="r",
        system="redis",
        deployment="docker",
        image=IMAGE,
        parameters={"save": "", "appendonly": True, "appendfsync": "always"},
    )


@pytest.fixture
def context(target, tmp_path: Path, options, plugin, client) -> Iterator[Context]:
    context = Context.open(target, tmp_path / "attempt", options=options)
    yield context
    plugin.clean_up(context)


@pytest.fixture
def deployed(context, plugin) -> Iterator[Deployed]:
    deployed = plugin.deploy(context)
    plugin.wait_ready(context, deployed)
    yield deployed
    plugin.stop(context, deployed)
