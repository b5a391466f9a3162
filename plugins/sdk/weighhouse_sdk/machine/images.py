"""A Docker engine of this machine: whether it answers, which images it has, what is in them."""

import contextlib
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import docker
from docker.errors import APIError, DockerException, ImageNotFound, NotFound
from requests.exceptions import RequestException
from weighhouse_protocol.target import Limits

from weighhouse_sdk.errors import DeployFailed, PluginError
from weighhouse_sdk.machine.cgroups import controllers

OFFICIAL = "docker.io/library/"
NOBODY = 65_534
"""User and group that own nothing, by Debian's base-passwd and in most images."""
ASK_SECONDS = 20.0
"""How long an image's program may take to tell its version; its first start reads it from disk."""


class ImageMissing(PluginError):
    """The image is not on this machine, and may not or cannot be pulled."""

    kind = "missing_binary"


@dataclass(frozen=True)
class Image:
    """An image on this machine."""

    name: str
    """In full, with tag or digest."""
    id: str
    """Digest of its configuration: the same on every machine."""


def full_name(image: str) -> str:
    """An image's name as the engine completes it: `redis` is `docker.io/library/redis:latest`."""
    first, slash, rest = image.partition("/")
    if not slash:
        image = OFFICIAL + image
    elif first != "localhost" and not set(first) & set(".:"):
        image = f"docker.io/{image}"
    elif first == "docker.io" and "/" not in rest:
        image = OFFICIAL + rest
    tagged = "@" in image or ":" in image.rpartition("/")[2]
    return image if tagged else f"{image}:latest"


class Engine:
    """One engine.

    :param address: for example `unix:///var/run/docker.sock`; asked when it is first needed.
    :param pull: whether an image that is missing is pulled.
    """

    _told: ClassVar[dict[tuple[str, ...], str]] = {}
    """What programs said of themselves, by image and command line: an image never changes."""

    def __init__(self, address: str, *, pull: bool = False) -> None:
        self.address = address
        self._pull = pull
        self._client: docker.DockerClient | None = None

    @contextlib.contextmanager
    def told(self, what: str) -> Iterator[None]:
        """Make the library's errors ours.

        :param what: what is being done, for example `container x could not be started`.
        :raises DeployFailed: for any of them.
        """
        try:
            yield
        except APIError as error:
            raise DeployFailed(
                f"{what}: {error.explanation or error}", "the engine's own log tells more"
            ) from error
        except (DockerException, RequestException) as error:
            raise DeployFailed(
                f"{what}: no answer from Docker at {self.address}: {error}",
                "start the engine, let the agent's user into its group, or set"
                " `machine.docker_host` in the agent's policy",
            ) from error

    @property
    def client(self) -> docker.DockerClient:
        """The engine's, of the version of the API that it speaks.

        :raises DeployFailed: when it does not answer.
        """
        if self._client is None:
            with self.told("Docker cannot be used"):
                self._client = docker.DockerClient(base_url=self.address, version="auto")
        return self._client

    def refuse_unless_kept(self, limits: Limits) -> None:
        """Ask whether the engine can keep limits: what it cannot, it leaves out with a warning.

        :raises DeployFailed: when it cannot.
        """
        with self.told("Docker does not tell what limits it keeps"):
            facts = self.client.info()
        kept = {"memory": facts.get("MemoryLimit"), "cpu": facts.get("CpuCfsQuota")}
        for controller in controllers(limits):
            if not kept[controller]:
                raise DeployFailed(
                    f"Docker at {self.address} cannot keep the limits: no controller"
                    f" `{controller}`",
                    "mount the controller, or ask for no limits",
                )

    def image(self, name: str) -> Image:
        """Find an image; pull it when it is missing and that is allowed.

        :raises ImageMissing: when it is not there.
        """
        name = full_name(name)
        client = self.client
        try:
            with self.told(f"image {name}"):
                return Image(name, _found(client, name))
        except _Missing as missing:
            if not self._pull:
                raise ImageMissing(
                    f"the image {name} is not on this machine",
                    f"docker pull {name}, or let the agent do it: `pull_images = true` in its"
                    " policy",
                ) from missing
        try:
            client.images.pull(name)
            return Image(name, _found(client, name))
        except (DockerException, RequestException, _Missing) as error:
            raise ImageMissing(
                f"the image {name} cannot be pulled: {error}",
                "look at the name, at the network, and at the registry's limits",
            ) from error

    def say(self, image: Image, words: Sequence[str]) -> str:
        """What a program in an image prints, without network or disk.

        The engine itself removes the container when it ends. Asked once of each image.

        :param words: program and arguments.
        :returns: what it had printed when it ended, or was ended for taking too long.
        :raises DeployFailed: when the engine does not answer, or cannot start the program.
        """
        key = (image.id, *words)
        if key not in self._told:
            self._told[key] = self._say(image, words)
        return self._told[key]

    def _say(self, image: Image, words: Sequence[str]) -> str:
        what = f"{words[0]} of the image {image.name} cannot be asked"
        with self.told(what):
            container = self.client.containers.create(
                image.id,
                entrypoint=[words[0]],
                command=list(words[1:]),
                auto_remove=True,
                network_mode="none",
                read_only=True,
                user=f"{NOBODY}:{NOBODY}",
                cap_drop=["ALL"],
                healthcheck={"test": ["NONE"]},
            )
        try:
            with self.told(what):
                output = container.attach(stdout=True, stderr=True, stream=True, logs=True)
                container.start()
                limit = threading.Timer(ASK_SECONDS, container.kill)
                limit.start()
                try:
                    return b"".join(output).decode("utf-8", errors="replace").strip()
                finally:
                    limit.cancel()
        finally:
            with contextlib.suppress(DockerException, RequestException):
                container.remove(force=True)


class _Missing(Exception):
    pass


def _found(client: docker.DockerClient, name: str) -> str:
    try:
        return str(client.images.get(name).id)
    except (ImageNotFound, NotFound) as error:
        raise _Missing(str(error)) from error
