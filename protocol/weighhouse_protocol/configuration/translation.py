"""A system's configuration file as a target: what is a parameter, what is not, and why. Pure."""

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any, Literal

from pydantic import Field

from weighhouse_protocol.base import Document, Label, Name, Order, Scalar, Sentence
from weighhouse_protocol.compatibility.settings import value_problem
from weighhouse_protocol.configuration.grammars import (
    ConfigurationRefused,
    Fault,
    Line,
    read_lines,
)
from weighhouse_protocol.configuration.quantities import NoValue, value_of
from weighhouse_protocol.configuration.tables import Counterpart, Settings, folded
from weighhouse_protocol.document_errors import did_you_mean, one_of
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.parameters import declared, value_problems
from weighhouse_protocol.target import Deployment, Target

MOST_DIGITS = 15
"""Of a word that is a number: what a number of JavaScript's holds exactly."""
Reason = Literal["agent", "never", "unknown", "value"]
"""Why a line is not in the target: the agent sets it, it is never taken, no parameter is called so,
or the parameter does not have such a value."""


class Taken(Document):
    """A line that is in the target."""

    line: Order
    name: Label
    into: Label
    """For example `parameters.appendfsync`, or `settings.maxclients`."""
    value: Scalar


class Left(Document):
    """A line that is not in the target. Its value is not repeated: it may be secret."""

    line: Order
    name: Label
    reason: Reason
    message: Sentence


class TargetFromFile(Document):
    """What a configuration file comes to."""

    system: Name
    file: Label
    parameters: dict[Label, Scalar] = Field(max_length=2000)
    settings: dict[Label, Scalar] = Field(max_length=2000)
    taken: tuple[Taken, ...] = Field(max_length=2000)
    left: tuple[Left, ...] = Field(max_length=2000)

    def document(self) -> dict[str, Any]:
        """The target as an experiment's document has it."""
        found: dict[str, Any] = {"name": self.system, "system": self.system}
        found |= {"parameters": dict(self.parameters)} if self.parameters else {}
        return found | ({"settings": dict(self.settings)} if self.settings else {})

    def target(self, deployment: Deployment = "process") -> Target:
        """The target itself."""
        return Target.model_validate({**self.document(), "deployment": deployment})


def system_of(file: str, manifests: Mapping[str, Manifest], system: str | None = None) -> Manifest:
    """Whose file it is.

    :param file: its name, without directories.
    :param system: which it is said to be; None: it is told by the name.
    :raises ConfigurationRefused: when no system's files are called so, or several's, or the plugin
        reads none.
    """
    reads = {
        name: each
        for name, each in manifests.items()
        if each.kind == "system" and each.settings is not None
    }
    if system is not None:
        if (found := reads.get(system)) is not None:
            return found
        message = f"no plugin reads a configuration file of {system!r}" + did_you_mean(
            system, reads
        )
        raise _refused(f"{message}; there are: {one_of(sorted(reads))}")
    if not reads:
        raise _refused("no plugin that is known here reads configuration files")
    known = [each for each in reads.values() if _is_called(file, each.settings)]
    if len(known) == 1:
        return known[0]
    said = ", ".join(each.id for each in known) or one_of(sorted(reads))
    why = "several systems have" if known else "no system has"
    raise _refused(f"{why} files called {file[:100]!r}: say which system it is, one of {said}")


def _is_called(file: str, settings: Settings | None) -> bool:
    return settings is not None and any(fnmatchcase(file, each) for each in settings.names)


def target_from(text: str, manifest: Manifest, file: str = "") -> TargetFromFile:
    """Translate a configuration file.

    Every line of it is told of: as a parameter, as one of a target's `settings`, or by why it is
    neither.

    :param text: all of the file.
    :param manifest: of the system; it has `settings`.
    :raises ConfigurationRefused: when any of its lines cannot be read; then none is taken.
    """
    settings = manifest.settings
    if settings is None:
        raise _refused(f"the plugin of {manifest.name} reads no configuration file")
    taken: list[Taken] = []
    left: list[Left] = []
    known = counterparts(manifest)
    for line in read_lines(text, settings):
        found = _translated(line, manifest, settings, known)
        if isinstance(found, Left):
            left.append(found)
        else:
            taken.append(found)
    if faults := list(_contradictions(taken)):
        raise ConfigurationRefused(faults)

    def of(part: str) -> dict[str, Scalar]:
        return {
            one.into.removeprefix(part): one.value for one in taken if one.into.startswith(part)
        }

    return TargetFromFile(
        system=manifest.id,
        file=file or settings.file,
        parameters=of("parameters."),
        settings=of("settings."),
        taken=tuple(taken),
        left=tuple(left),
    )


def counterparts(manifest: Manifest) -> dict[str, Counterpart]:
    """Folded name of a setting → how it becomes a parameter."""
    found = {
        folded(str(schema.get("x-setting", name))): Counterpart(parameter=name)
        for name, schema in declared(manifest.parameters).items()
    }
    if manifest.settings is not None:
        found |= {folded(name): each for name, each in manifest.settings.counterparts.items()}
    return found


def _contradictions(taken: list[Taken]) -> Iterator[Fault]:
    """Lines of several names that are one parameter."""
    seen: dict[str, Taken] = {}
    for one in taken:
        before = seen.setdefault(one.into, one)
        if before is not one and before.value != one.value:
            yield Fault(
                one.line,
                f"`{one.name}` and `{before.name}` on line {before.line} are both {one.into}: say "
                "which is meant",
            )


def _translated(
    line: Line, manifest: Manifest, settings: Settings, known: Mapping[str, Counterpart]
) -> Taken | Left:
    counterpart = known.get(folded(line.name))
    if counterpart is not None:
        return _as_parameter(line, counterpart, manifest, settings)
    if (why := settings.why_never(line.name)) is not None:
        return _left(line, "never", f"is never taken from an experiment: {why}")
    if (why := settings.why_agent(line.name)) is not None:
        return _left(line, "agent", f"is set by the agent: {why}")
    if settings.is_taken(line.name):
        value = _plain(line.value)
        words = settings.words_of(line.name)
        if value is None or (problem := value_problem(value, words)) is not None:
            message = "has no value" if value is None else str(problem)
            return _left(line, "value", f"could be one of the target's `settings`, but {message}")
        return Taken(line=line.number, name=line.name, into=f"settings.{line.name}", value=value)
    guess = did_you_mean(line.name, list(known))
    return _left(line, "unknown", f"is no parameter of {manifest.name}{guess}")


def _as_parameter(
    line: Line, counterpart: Counterpart, manifest: Manifest, settings: Settings
) -> Taken | Left:
    name = counterpart.parameter
    schema = declared(manifest.parameters)[name]
    try:
        value = value_of(line.value, schema, counterpart, settings)
    except NoValue as error:
        return _left(line, "value", f"is the parameter `{name}`, but {error}")
    if problems := value_problems(schema, value):
        return _left(line, "value", f"is the parameter `{name}`, but {problems[0]}")
    return Taken(line=line.number, name=line.name, into=f"parameters.{name}", value=value)


def _plain(text: str | None) -> Scalar | None:
    if text is None or text in ("true", "false"):
        return None if text is None else text == "true"
    digits = text.removeprefix("-")
    whole = digits.isascii() and digits.isdigit() and len(digits) <= MOST_DIGITS
    return int(text) if whole and str(int(text)) == text else text


def _left(line: Line, reason: Reason, message: str) -> Left:
    return Left(line=line.number, name=line.name, reason=reason, message=message)


def _refused(message: str) -> ConfigurationRefused:
    return ConfigurationRefused([Fault(None, message)])
