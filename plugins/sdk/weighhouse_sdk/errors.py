"""What can go wrong with a plugin, each with a hint how to mend it."""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import ClassVar

from weighhouse_protocol.document_errors import FieldError
from weighhouse_protocol.report import Failure, FailureKind

MOST_PROBLEMS = 50
"""That one refusal tells."""


class PluginError(Exception):
    """Base of all that a plugin, a deployment or a driver raises.

    :param message: what happened, one sentence.
    :param hint: how to mend it.
    :param log_lines: the last lines of the log that tells.
    """

    kind: ClassVar[FailureKind] = "infrastructure"

    def __init__(self, message: str, hint: str = "", log_lines: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.log_lines = tuple(log_lines)

    def failure(self) -> Failure:
        """The error as the document that an agent reports."""
        return Failure(
            kind=self.kind, message=self.message, hint=self.hint, log_lines=self.log_lines
        )


class BinaryMissing(PluginError):
    """A program that the plugin needs is not on this machine.

    :param executable: its name.
    :param package: the Debian package that brings it; empty when there is none.
    :param closed: folders of PATH that the agent's account may not look into.
    """

    kind = "missing_binary"

    def __init__(
        self, executable: str, package: str = "", hint: str = "", closed: Sequence[str] = ()
    ) -> None:
        advice = f"apt-get install {package}" if package else "put it on the agent's PATH"
        if closed:
            advice += f"; or it lies where the agent's account may not look: {', '.join(closed)}"
        super().__init__(f"{executable} is not installed on this machine", hint or advice)
        self.executable = executable
        self.package = package


class VersionMissing(PluginError):
    """The machine has the system, but not in the version that the target asks for."""

    kind = "missing_binary"

    def __init__(self, executable: str, wanted: str, found: Sequence[str]) -> None:
        super().__init__(
            f"{executable}: version {wanted} is wanted, this machine has {', '.join(found)}",
            "write `version: any` to take what is there, or install the version on the agent",
        )
        self.wanted = wanted
        self.found = tuple(found)


class WrongProduct(PluginError):
    """A program of the expected name turned out to be something else."""

    kind = "deploy"


class PluginMissing(PluginError):
    """No installed plugin has this identifier."""

    kind = "missing_binary"

    def __init__(self, plugin_id: str, installed: Sequence[str]) -> None:
        super().__init__(
            f"no plugin `{plugin_id}` is installed; there are: {', '.join(installed) or 'none'}",
            f"pip install weighhouse-plugin-{plugin_id}",
        )


class PluginBroken(PluginError):
    """A plugin is installed but cannot be used: its manifest is bad, or it fails to import."""


class TargetInvalid(PluginError):
    """The target does not fit what the plugin's manifest declares.

    :param problems: (path in the target, what is wrong with it).
    :param hint: what would be right.
    """

    kind = "invalid"

    def __init__(self, problems: Sequence[tuple[str, str]], hint: str = "") -> None:
        text = "; ".join(f"{path}: {message}" for path, message in problems)
        plain = "the system's page lists its parameters with types and limits"
        super().__init__(text, hint or plain)
        self.problems = tuple(problems)

    @classmethod
    def raise_for(cls, errors: Iterable[FieldError]) -> None:
        """Refuse a target for what `weighhouse_protocol.compatibility` says of it.

        :raises TargetInvalid: with the first `MOST_PROBLEMS`; when there is none, nothing is
            raised.
        """
        found = list(islice(errors, MOST_PROBLEMS))
        if found:
            wanted = [f"{each.path}: {each.expected}" for each in found if each.expected]
            problems = [(each.path, each.message) for each in found]
            raise cls(problems, "; ".join(dict.fromkeys(wanted)))


class DeployFailed(PluginError):
    """The system could not be set up."""

    kind = "deploy"


class NotReady(PluginError):
    """The system was started, and ended or stayed silent before it could serve."""

    kind = "not_ready"


class ServerUnfit(PluginError):
    """A server of somebody else's is there, and cannot be used as the target says: waiting mends
    nothing.
    """

    kind: ClassVar[FailureKind] = "invalid"


class ServerRefuses(ServerUnfit):
    """It wants another account, or takes no further connection."""

    kind = "refused"


class SystemFailed(PluginError):
    """The system was ready once and does not answer any more: a result, not to be retried."""

    kind = "database"


class DriverFailed(PluginError):
    """The driver ended without finishing, or wrote something that is not its protocol.

    :param exit_code: negative for a signal; None while it runs.
    """

    kind: ClassVar[FailureKind] = "driver"

    def __init__(
        self,
        message: str,
        hint: str = "",
        log_lines: Sequence[str] = (),
        exit_code: int | None = None,
    ) -> None:
        super().__init__(message, hint, log_lines)
        self.exit_code = exit_code


class DriverKilled(DriverFailed):
    """Somebody else killed the driver, as the kernel does when memory runs out: no result of
    driver or system, so that the run is tried again.
    """

    kind = "infrastructure"


class DeadlinePassed(PluginError):
    """The run's time limit passed while a verb was at work."""

    kind = "timeout"


class Cancelled(PluginError):
    """Somebody asked to stop."""

    kind = "cancelled"
