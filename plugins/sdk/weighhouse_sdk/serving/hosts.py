"""What runs a node: a process of this machine, or a container on it, within the target's limits."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from weighhouse_protocol.base import Scalar
from weighhouse_protocol.manifest import ManifestImage
from weighhouse_protocol.report import Setting
from weighhouse_protocol.target import Target

from weighhouse_sdk.configuration import explained
from weighhouse_sdk.context import Context, HostOptions
from weighhouse_sdk.errors import DeployFailed, TargetInvalid, VersionMissing
from weighhouse_sdk.lifecycle import Deployed, Installed
from weighhouse_sdk.machine.cgroups import refuse_unless_kept
from weighhouse_sdk.machine.images import Engine, full_name
from weighhouse_sdk.machine.limits import UNLIMITED
from weighhouse_sdk.machine.nodes import Body
from weighhouse_sdk.machine.process import Command
from weighhouse_sdk.places import Place
from weighhouse_sdk.serving.questions import UNTOLD, Questions
from weighhouse_sdk.wire import Address

DOCKER = "docker"


class Hosting(Questions):
    """Chooses between the program on the search path and the one in an image."""

    def check_host(self, target: Target, options: HostOptions) -> Installed:
        """Choose the version that the target asks for; of a container, ask the image. Hold that
        the limits can be kept.

        :raises BinaryMissing, ImageMissing: when the system is not here.
        :raises VersionMissing: when it is, in other versions.
        :raises DeployFailed: when limits cannot be kept, or no Docker engine answers.
        """
        if target.deployment != DOCKER:
            refuse_unless_kept(target.limits)
            return super().check_host(target, options)
        engine = Engine(options.docker_host, pull=options.pull_images)
        engine.refuse_unless_kept(target.limits)
        image = self._image()
        text = engine.say(engine.image(self._image_name(target)), (image.program, "--version"))
        version = self.version_of(text) if text else None
        if version is not None and target.version not in ("any", version):
            raise VersionMissing(self._image_name(target), target.version, [version])
        return Installed(Path(image.program), version or UNTOLD)

    def _image(self) -> ManifestImage:
        if self.manifest.image is None:
            raise TargetInvalid([("deployment", f"{self.manifest.name} has no image")])
        return self.manifest.image

    def _image_name(self, target: Target) -> str:
        return full_name(target.image or self._image().image)

    def _host(
        self,
        context: Context,
        executable: Path,
        place: Place,
        parameters: Mapping[str, Scalar],
    ) -> Body:
        """Start what runs a node, with the same arguments whichever it is."""
        target, arguments = context.target, tuple(self.arguments(parameters, place))
        if target.deployment == DOCKER:
            image = self._image()
            words = (image.program, *image.arguments, *arguments)
            command = self._command(context, place, words)
            return context.containers.start(command, self._image_name(target), target.limits)
        group = context.groups.make(place.name, target.limits)
        command = self._command(context, place, (str(executable), *arguments))
        return context.processes.start(replace(command, group=group))

    def _command(self, context: Context, place: Place, words: tuple[str, ...]) -> Command:
        return Command(
            name=place.name,
            arguments=words,
            directory=place.directory,
            users=self.users,
            cpus=context.options.server_cpus,
        )

    def _check_version(self, context: Context, deployed: Deployed, first: Address) -> None:
        """Hold a running server's version against the target's, where no program told it before.

        :param first: of its nodes.
        :raises VersionMissing: when it is another one.
        """
        wanted = context.target.version
        if deployed.version != UNTOLD or wanted == "any":
            return
        found = self.version_served(first, self.ask_seconds)
        if found not in (wanted, UNTOLD):
            image = self._image_name(context.target) if deployed.nodes else ""
            raise VersionMissing(image or self.manifest.name, wanted, [found])

    def _kept(self, context: Context, deployed: Deployed) -> tuple[Setting, ...]:
        """What the operating system keeps the nodes within, as lines of the configuration.

        :raises DeployFailed: when a node is within other limits than another.
        """
        found: dict[str, str] = {}
        for node in deployed.nodes:
            if node.down:
                continue
            limits = node.body.limits()
            if found and limits != found:
                raise DeployFailed(f"{node.place.name} has limits of its own: {limits}")
            found = limits
        defaults = {name: UNLIMITED.value for name in found if name.startswith("limits.")}
        asked = {name for name in found if found[name] != defaults.get(name)}
        if not context.target.image:
            asked -= {"container.image"}
        return explained(found, defaults, by_experiment=asked, by_plugin={"container.image"})
