"""Settings of a target beside its parameters, by their system's own names. Pure."""

import re
from collections.abc import Iterator, Mapping

from weighhouse_protocol.base import Scalar
from weighhouse_protocol.configuration.tables import folded
from weighhouse_protocol.document_errors import FieldError
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.parameters import declared
from weighhouse_protocol.target import Target

NAME = re.compile(r"(?=.{1,100}\Z)[A-Za-z0-9_][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_][A-Za-z0-9_-]*)*")
"""Words with dots between them, where the system nests its settings."""
VALUE = re.compile(r"[A-Za-z0-9_.+:%][A-Za-z0-9_.+:%-]{0,99}")
"""A single word in every system's grammar: nothing in it ends a word, a line, a list or a quote,
and it begins no option and no path."""


MOST_WORDS = 40


def value_problem(value: Scalar, words: int = 1) -> str | None:
    """What is wrong with a setting's value, in words.

    :param words: how many it is of; more than one: or a multiple of so many, a blank between them.
    """
    if words == 1:
        if isinstance(value, str) and VALUE.fullmatch(value) is None:
            what = "more than" if value else "empty, and not"
            return f"is {what} a single word of letters, digits and `_ . + : % -`"
        return None
    said = value.split(" ") if isinstance(value, str) else [str(value)]
    if len(said) > MOST_WORDS or not all(map(VALUE.fullmatch, said)):
        return f"is more than {MOST_WORDS} words of letters, digits and `_ . + : % -`"
    if len(said) % words:
        return f"has {len(said)} words, where {words} or a multiple of them belong together"
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
        elif (problem := value_problem(value, table.words_of(name))) is not None:
            yield FieldError(path=path, message=problem, expected=_expected(table.words_of(name)))
        elif (twin := seen.setdefault(asked, name)) != name:
            message = f"is the same setting as `{twin}`"
            yield FieldError(path=path, message=message, expected="one of the two")
    yield from _above_others(seen)


def _expected(words: int) -> str:
    return "a number, yes or no, or a word" if words == 1 else f"{words} words, a blank between"


def _above_others(seen: Mapping[str, str]) -> Iterator[FieldError]:
    """Of names that nest, those that are a value and have settings below them."""
    for asked, name in seen.items():
        below = next((seen[each] for each in seen if each.startswith(f"{asked}.")), None)
        if below is not None:
            message = f"has a value, and `{below}` stands below it"
            yield FieldError(path=f"settings.{name}", message=message, expected="one of the two")
