"""Settings of a target beside its parameters, by their system's own names. Pure."""

import re
from collections.abc import Iterator

from weighhouse_protocol.base import Scalar
from weighhouse_protocol.configuration.tables import folded
from weighhouse_protocol.document_errors import FieldError
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.parameters import declared
from weighhouse_protocol.target import Target

NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")
VALUE = re.compile(r"[A-Za-z0-9_.+:%][A-Za-z0-9_.+:%-]{0,99}")
"""A single word in every system's grammar: nothing in it ends a word, a line, a list or a quote,
and it begins no option and no path."""


def value_problem(value: Scalar) -> str | None:
    """What is wrong with a setting's value, in words."""
    if isinstance(value, str) and VALUE.fullmatch(value) is None:
        return "is more than a single word of letters, digits and `_ . + : % -`"
    return None


def settings_errors(target: Target, manifest: Manifest) -> Iterator[FieldError]:
    """Everything in a target's `settings` that is never taken, whatever an agent's policy says.

    :returns: names and values that are no single words, what has a parameter, what the agent sets,
        what the plugin never takes, and what stands twice in two spellings.
    """
    if not target.settings:
        return
    table = manifest.settings
    if table is None or not table.taken or target.deployment == "external":
        whose = "an external system" if target.deployment == "external" else manifest.name
        yield FieldError(
            path="settings",
            message=f"nothing is set on {whose} beside parameters",
            expected="no settings",
        )
        return
    own = {
        folded(str(each.get("x-setting", name))): name
        for name, each in declared(manifest.parameters).items()
    }
    own |= {folded(name): each.parameter for name, each in table.counterparts.items()}
    seen: dict[str, str] = {}
    for name, value in target.settings.items():
        path = f"settings.{name[:100]}"
        asked = folded(table.named(name))
        if NAME.fullmatch(name) is None:
            message = "is no name of a setting: letters, digits and `_ . -`"
            yield FieldError(path=path, message=message, expected="the system's own name of it")
        elif (why := table.why_never(name)) is not None:
            yield FieldError(
                path=path,
                message=f"is never taken from an experiment: {why}",
                expected="without it",
            )
        elif (parameter := own.get(asked, asked if asked in own.values() else None)) is not None:
            message = f"is the parameter `{parameter}` of {manifest.name}"
            yield FieldError(path=path, message=message, expected=f"parameters.{parameter}")
        elif (why := table.why_agent(name)) is not None:
            yield FieldError(
                path=path, message=f"is set by the agent: {why}", expected="without it"
            )
        elif (problem := value_problem(value)) is not None:
            yield FieldError(path=path, message=problem, expected="a number, yes or no, or a word")
        elif (twin := seen.setdefault(asked, name)) != name:
            message = f"is the same setting as `{twin}`"
            yield FieldError(path=path, message=message, expected="one of the two")
