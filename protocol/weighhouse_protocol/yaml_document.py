"""YAML in and out, with errors that say where and how to mend it."""

import dataclasses
import difflib
from collections.abc import Mapping
from typing import Any

import yaml
from pydantic import BaseModel, ValidationError

from weighhouse_protocol.experiment import Experiment
from weighhouse_protocol.matrix import OwnPoints
from weighhouse_protocol.repetitions import UNION_TAGS
from weighhouse_protocol.text import unkept

MOST_VALUES = 100_000
"""Of a document, with every anchor written out."""


@dataclasses.dataclass(frozen=True, slots=True)
class FieldError:
    """One thing wrong in a document."""

    path: str
    """Where, for example `targets[0].parameters.appendfsync`; empty for the whole document."""
    message: str
    """What is wrong."""
    expected: str = ""
    """What would be right."""
    line: int | None = None
    """Line in the YAML text, from 1, where known."""


class DocumentError(ValueError):
    """A document is refused; nothing of it was taken."""

    def __init__(self, errors: list[FieldError]) -> None:
        """:param errors: all that is wrong, at least one."""
        self.errors = errors
        super().__init__("; ".join(f"{e.path or 'document'}: {e.message}" for e in errors))


class _Loader(yaml.SafeLoader):
    """Refuses a key that stands twice instead of taking the last."""


def _mapping(loader: _Loader, node: yaml.MappingNode) -> dict[object, object]:
    seen: set[object] = set()
    for key_node, _ in node.value:
        key = loader.construct_object(key_node, deep=True)
        if key in seen:
            raise DocumentError(
                [
                    FieldError(
                        path=str(key),
                        message=f"the key {key!r} stands twice",
                        expected="each key once",
                        line=key_node.start_mark.line + 1,
                    )
                ]
            )
        seen.add(key)
    return loader.construct_mapping(node, deep=True)


_Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)


def _values(data: Any, most: int) -> int:
    """How many values there are with every anchor written out; counts no further than the most."""
    waiting, count = [data], 0
    while waiting and count <= most:
        found = waiting.pop()
        count += 1
        if isinstance(found, dict):
            waiting.extend(found.values())
        elif isinstance(found, list | set | tuple):
            waiting.extend(found)
    return count


def load_yaml(text: str) -> dict[str, Any]:
    """Parse YAML text into plain data.

    :param text: the document; it has to be a mapping.
    :raises DocumentError: with the line, when it is no YAML or no mapping.
    """
    try:
        data = yaml.load(text, Loader=_Loader)  # noqa: S506 - derived from SafeLoader
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        raise DocumentError(
            [
                FieldError(
                    path="",
                    message=f"not valid YAML: {error.problem or error}",
                    expected="a YAML mapping",
                    line=mark.line + 1 if mark else None,
                )
            ]
        ) from error
    except DocumentError:
        raise
    except (yaml.YAMLError, ValueError, TypeError, RecursionError) as error:
        # Characters of no text, a list as a key, a day that is none, brackets without end.
        message = f"not valid YAML: {str(error).splitlines()[0]}"
        raise DocumentError(
            [FieldError(path="", message=message, expected="a YAML mapping")]
        ) from error
    if _values(data, MOST_VALUES) > MOST_VALUES:
        message = "has too much in it, or an anchor that stands for itself"
        expected = f"at most {MOST_VALUES:,} values once every anchor is written out"
        raise DocumentError([FieldError(path="", message=message, expected=expected)])
    if not isinstance(data, dict):
        raise DocumentError(
            [FieldError(path="", message="the document is empty or no mapping",
                        expected="keys such as slug, name, targets, workloads, load_levels")]
        )  # fmt: skip
    return data


def parse_experiment(data: Mapping[str, Any]) -> Experiment:
    """Check plain data against the experiment's form.

    :raises DocumentError: naming each field and what would be right.
    """
    if found := list(unkept(data)):
        raise DocumentError(
            [
                FieldError(
                    path=dotted(path),
                    message=f"has {code}, which cannot be kept",
                    expected="text without U+0000 and without halves of surrogate pairs",
                )
                for path, code in found
            ]
        )
    try:
        return Experiment.model_validate(data)
    except ValidationError as error:
        raise DocumentError(field_errors(error, Experiment)) from error


def experiment_from_yaml(text: str) -> Experiment:
    """Read an experiment file.

    :raises DocumentError: naming each field (and the line, for YAML errors).
    """
    return parse_experiment(load_yaml(text))


def experiment_to_yaml(experiment: Experiment) -> str:
    """Write an experiment in its canonical form: model order, defaults left out.

    Reading the text again gives an equal experiment.
    """
    data = experiment.model_dump(mode="json", exclude_defaults=True)
    ordered = {"version": experiment.version, **data}
    if experiment.sequential is not None:
        ordered["repetitions"] = experiment.sequential.model_dump(mode="json")
    for level, dumped in zip(experiment.load_levels, ordered["load_levels"], strict=True):
        _name_model(dumped, level.model)
        if isinstance(level, OwnPoints):
            for point, each in zip(level.points, dumped["points"], strict=True):
                _name_model(each["load"], point.load.model)
    return yaml.safe_dump(ordered, sort_keys=False, allow_unicode=True, width=100)


def _name_model(load: dict[str, Any], model: str) -> None:
    """Say first which kind of load it is, also where that is the default."""
    fields = {"model": model, **{key: one for key, one in load.items() if key != "model"}}
    load.clear()
    load.update(fields)


def field_errors(error: ValidationError, model: type[BaseModel]) -> list[FieldError]:
    """Turn a validation error into field errors with paths and what would be right.

    :param error: as Pydantic raised it.
    :param model: the document's class, used to suggest known keys.
    """
    found = []
    for item in error.errors(include_url=False):
        location = tuple(item["loc"])
        message = str(item["msg"]).removeprefix("Value error, ")
        expected = ""
        context = item.get("ctx") or {}
        if item["type"] == "extra_forbidden":
            key = str(location[-1])
            known = known_keys(model, location[:-1])
            close = difflib.get_close_matches(key, known, n=1)
            message = f"unknown key {key!r}" + (f"; did you mean {close[0]!r}?" if close else "")
            expected = "one of " + ", ".join(sorted(known)) if known else ""
        elif item["type"] == "missing":
            message = "is missing"
            expected = f"a value for {location[-1]!r}" if location else ""
        elif "expected" in context:
            expected = str(context["expected"])
        elif bounds := {k: context[k] for k in ("ge", "gt", "le", "lt") if k in context}:
            signs = {"ge": "≥", "gt": ">", "le": "≤", "lt": "<"}
            expected = " and ".join(f"{signs[k]} {v}" for k, v in bounds.items())
        elif "pattern" in context:
            expected = f"text like {context['pattern']}"
        found.append(FieldError(path=dotted(location), message=message, expected=expected))
    return found


def dotted(location: tuple[int | str, ...]) -> str:
    """Write a location as people do: `targets[0].parameters.appendfsync`."""
    path = ""
    for part in location:
        if isinstance(part, int):
            path += f"[{part}]"
        elif part in {"closed", "open", "own"} and path.endswith(("]", ".load")):
            continue  # the tag of a union, not a key of the document
        elif part in UNION_TAGS and path.endswith(("repetitions", "until")):
            continue
        else:
            path += f".{part}" if path else part
    return path


def known_keys(model: type[BaseModel], location: tuple[int | str, ...]) -> list[str]:
    """The keys that may stand at a location of a document, or [] where anything may."""
    schema: dict[str, Any] = model.model_json_schema()
    definitions: dict[str, Any] = schema.get("$defs", {})
    node: dict[str, Any] = schema
    for part in location:
        node = _resolve(node, definitions)
        if isinstance(part, int):
            node = node.get("items", node)
        elif "oneOf" in node:
            node = _branch(node, str(part), definitions)
        else:
            node = node.get("properties", {}).get(part, {})
    node = _resolve(node, definitions)
    return list(node.get("properties", {}))


def _resolve(node: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    for option in node.get("anyOf", []):
        if "$ref" in option:
            node = option
            break
    while "$ref" in node:
        node = definitions[str(node["$ref"]).rsplit("/", 1)[-1]]
    return node


def _branch(node: dict[str, Any], tag: str, definitions: dict[str, Any]) -> dict[str, Any]:
    mapping = node.get("discriminator", {}).get("mapping", {})
    references = [one["$ref"] for one in node["oneOf"] if "$ref" in one]
    reference = mapping.get(tag) if mapping else next(iter(references), None)
    return _resolve({"$ref": reference}, definitions) if reference else {}
