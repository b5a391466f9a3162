"""What can go wrong with experiments, as problems."""

from collections.abc import Iterable
from typing import Self

from weighhouse_protocol.configuration.grammars import ConfigurationRefused
from weighhouse_protocol.document_errors import FieldError

from weighhouse_backend.kit.problems import Conflict, FieldProblem, Invalid, NotFound


def field_problems(errors: Iterable[FieldError]) -> list[FieldProblem]:
    """Errors of a document as a problem lists them; a YAML line goes before the message."""
    return [
        FieldProblem(
            path=error.path,
            message=f"line {error.line}: {error.message}" if error.line else error.message,
            expected=error.expected or None,
        )
        for error in errors
    ]


class ExperimentNotFound(NotFound, title="Experiment not found"):
    """There is no such experiment, or it is not the caller's to see."""


class ExperimentUnclear(Invalid, title="Several projects have an experiment of this slug"):
    """Several of the caller's projects have an experiment of this slug."""


class RevisionNotFound(NotFound, title="Revision not found"):
    """The experiment has no revision of that number."""


class ScheduleNotFound(NotFound, title="The experiment has no schedule"):
    """The experiment has no schedule."""


class ExperimentInvalid(Invalid, title="The experiment is not valid"):
    """A document is not a valid experiment, or asks of a system what it cannot do."""

    @classmethod
    def of(cls, errors: Iterable[FieldError]) -> "ExperimentInvalid":
        """The problem that names every error."""
        fields = field_problems(errors)
        first = fields[0]
        more = f" (and {len(fields) - 1} more)" if len(fields) > 1 else ""
        place = f"{first.path}: " if first.path else ""
        return cls(f"{place}{first.message}{more}", errors=fields)


class ScheduleInvalid(Invalid, title="The schedule is not valid"):
    """The cron expression or the time zone cannot be used."""


class SlugTaken(Conflict, slug="experiment-slug-taken", title="The slug is taken"):
    """Another experiment of the project has this slug."""


class SlugChanged(
    Invalid, slug="experiment-slug-changed", title="The slug of an experiment does not change"
):
    """A revision has another slug than its experiment."""


class ConfigurationNotRead(Invalid, title="The configuration file cannot be read"):
    """A line of a configuration file cannot be read, or no plugin reads the file."""

    @classmethod
    def of(cls, error: ConfigurationRefused) -> Self:
        """The error of a file's faults, with their lines."""
        faults = [FieldError("text", each.message, line=each.line) for each in error.faults]
        return cls("nothing of it is taken", errors=field_problems(faults))
