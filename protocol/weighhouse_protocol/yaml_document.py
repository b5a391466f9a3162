"""YAML in and out, with errors that say where and how to mend it."""

import itertools
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from weighhouse_protocol.document_errors import LONGEST_TOLD, FieldError, listed, near
from weighhouse_protocol.experiment import Experiment
from weighhouse_protocol.fault_words import in_words
from weighhouse_protocol.matrix import OwnPoints
from weighhouse_protocol.repetitions import UNION_TAGS
from weighhouse_protocol.target import Target
from weighhouse_protocol.text import unkept

MOST_CHARACTERS = 262_144
"""Of a document's text."""
MOST_VALUES = 10_000
"""Of a document, with every anchor written out: it is read within a tenth of a second."""
MOST_DEPTH = 40
MOST_KEYS = 1_000
"""Of one mapping."""
MOST_DIGITS = 64
"""Of a number, and characters of a moment."""
MOST_ERRORS = 50
"""That are told of one document; that there are more is told, too."""
KEYS = "keys such as slug, name, targets, workloads, load_levels"
MOST_FAULTS = 10_000
"""Of more none is told: each would have to be made."""
MOST_GUESSES = 10
"""Times that one answer asks whether something else was meant."""


class DocumentError(ValueError):
    """A document is refused; nothing of it was taken."""

    def __init__(self, errors: list[FieldError]) -> None:
        """:param errors: what is wrong, at least one, as many as are `told`."""
        self.errors = errors
        super().__init__("; ".join(f"{e.path or 'document'}: {e.message}" for e in self.errors))


def told(errors: Iterable[FieldError]) -> list[FieldError]:
    """The first errors, and that there are more: how many, where that costs nothing to know."""
    first = list(itertools.islice(waiting := iter(errors), MOST_ERRORS))
    if next(waiting, None) is None:
        return first
    more = f"{len(errors) - MOST_ERRORS:,} more" if isinstance(errors, list) else "more"
    return [*first, FieldError("", f"and {more} that {MOST_ERRORS} errors leave out")]


_TAG = "tag:yaml.org,2002:"
MERGE = f"{_TAG}merge"


class _Loader(yaml.CSafeLoader):
    """Refuses a key that stands twice instead of taking the last."""


def _mapping(loader: _Loader, node: yaml.MappingNode) -> dict[object, object]:
    seen: set[object] = set()
    for key_node, _ in node.value:
        if key_node.tag == MERGE:
            continue
        key = loader.construct_object(key_node, deep=True)
        if key in seen:
            name = str(key)[:LONGEST_TOLD]
            raise _refused(f"the key {name!r} stands twice", "each key once", key_node, name)
        seen.add(key)
    return loader.construct_mapping(node, deep=True)


_Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)

_NUMBERS = {f"{_TAG}{kind}" for kind in ("int", "float", "timestamp")}
_TAGS = _NUMBERS | {f"{_TAG}{kind}" for kind in ("str", "bool", "null", "map", "seq")} | {MERGE}


def _refused(
    message: str, expected: str, at: yaml.Node | yaml.Event | None = None, path: str = ""
) -> DocumentError:
    mark = None if at is None else at.start_mark
    line = None if mark is None else mark.line + 1
    return DocumentError([FieldError(path, message, expected, line)])


def _too_much(at: yaml.Node | yaml.Event | None = None, path: str = "") -> DocumentError:
    expected = f"at most {MOST_VALUES:,} values once every anchor is written out"
    message = "has too much in it, or an anchor that stands for itself"
    return _refused(message, expected, at, path)


def _too_deep(at: yaml.Event | None = None) -> DocumentError:
    return _refused("lies too deep", f"at most {MOST_DEPTH} lists and mappings within another", at)


def _count(text: str) -> None:
    """Look at a text's tokens before anything is made of them; no further than the most."""
    depth = values = 0
    for event in yaml.parse(text, Loader=yaml.CSafeLoader):
        values += isinstance(event, yaml.NodeEvent)
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if values > 2 * MOST_VALUES:  # keys and values
            raise _too_much(event)
        if depth > MOST_DEPTH:
            raise _too_deep(event)


def _written_out(node: yaml.Node, sizes: dict[int, int]) -> int:
    """How many values a node stands for with every anchor, and every merge, written out.

    :param sizes: of the nodes that were counted; those that are being counted are beyond all.
    """
    if (known := sizes.get(id(node))) is not None:
        return known
    sizes[id(node)] = MOST_VALUES + 1
    if node.tag not in _TAGS:
        raise _refused(f"the tag {node.tag[:LONGEST_TOLD]!r} means nothing here", "no tag", node)
    size = 1
    if isinstance(node, yaml.MappingNode):
        if len(node.value) > MOST_KEYS:
            message = f"a mapping has {len(node.value):,} keys"
            raise _refused(message, f"at most {MOST_KEYS:,}", node)
        # A key that is a list or a mapping is refused when it is made.
        size += sum(_written_out(each, sizes) for pair in node.value for each in pair)
        size -= len(node.value)
    elif isinstance(node, yaml.SequenceNode):
        size += sum(_written_out(each, sizes) for each in node.value)
    elif node.tag in _NUMBERS and len(node.value) > MOST_DIGITS:
        raise _refused("a number has too many digits", f"at most {MOST_DIGITS}", node)
    if size > MOST_VALUES:
        raise _too_much(node)
    sizes[id(node)] = size
    return size


def load_yaml(text: str) -> dict[str, Any]:
    """Parse YAML text into plain data.

    :param text: the document; it has to be a mapping.
    :raises DocumentError: with the line, when it is no YAML, no mapping, or larger than is read.
    """
    if len(text) > MOST_CHARACTERS:
        message = f"has {len(text):,} characters"
        raise _refused(message, f"at most {MOST_CHARACTERS:,} characters")
    loader = None
    try:
        _count(text)
        loader = _Loader(text)
        node = loader.get_single_node()
        if node is not None:
            _written_out(node, {})
        data = None if node is None else loader.construct_document(node)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        raise DocumentError(
            [
                FieldError(
                    path="",
                    message=f"not valid YAML: {error.problem or error}"[:LONGEST_TOLD],
                    expected="a YAML mapping",
                    line=mark.line + 1 if mark else None,
                )
            ]
        ) from error
    except DocumentError:
        raise
    except (yaml.YAMLError, ValueError, TypeError, OverflowError, RecursionError) as error:
        # Characters of no text, a list as a key, a day that is none, brackets without end.
        message = f"not valid YAML: {str(error).splitlines()[0][:LONGEST_TOLD]}"
        raise _refused(message, "a YAML mapping") from error
    finally:
        if loader is not None:
            loader.dispose()
    if not isinstance(data, dict):
        raise _refused("the document is empty or no mapping", KEYS)
    return data


def require_small(data: Any) -> None:
    """Count what is in plain data, before anything else looks at it.

    :raises DocumentError: naming the place and the limit that it is beyond.
    """
    waiting: list[tuple[Any, tuple[int | str, ...]]] = [(data, ())]
    values = 0
    while waiting:
        found, path = waiting.pop()
        values += 1
        inner: Iterable[tuple[int | str, Any]] = ()
        if isinstance(found, Mapping):
            if len(found) > MOST_KEYS:
                message = f"a mapping has {len(found):,} keys"
                raise _refused(message, f"at most {MOST_KEYS:,}", path=dotted(path))
            inner = ((str(key), each) for key, each in found.items())
        elif isinstance(found, list | set | tuple):
            if len(found) > MOST_VALUES:
                raise _too_much(path=dotted(path))
            inner = enumerate(found)
        elif isinstance(found, int) and found.bit_length() > MOST_DIGITS:
            message = "a whole number is too large"
            raise _refused(message, f"at most {MOST_DIGITS} bits", path=dotted(path))
        if values > MOST_VALUES:
            raise _too_much()
        if len(path) > MOST_DEPTH:
            raise _too_deep()
        waiting.extend((each, (*path, key)) for key, each in inner)


def parse_experiment(data: Mapping[str, Any]) -> Experiment:
    """Check plain data against the experiment's form.

    :raises DocumentError: naming each field and what would be right.
    """
    require_small(data)
    if found := list(itertools.islice(unkept(data), MOST_ERRORS + 1)):
        raise DocumentError(
            told(
                FieldError(
                    path=dotted(path),
                    message=f"has {code}, which cannot be kept",
                    expected="text without U+0000 and without halves of surrogate pairs",
                )
                for path, code in found
            )
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


def targets_in(data: Mapping[str, Any]) -> tuple[Target, ...]:
    """The targets of a document that may be wrong in all else; none where one of them is.

    :raises DocumentError: when there is more in it than is read.
    """
    require_small(data)
    if next(unkept(data), None) is not None:
        return ()
    try:
        return _TARGETS.validate_python(data.get("targets", ()))
    except ValidationError:
        return ()


_TARGETS = TypeAdapter(Annotated[tuple[Target, ...], Field(max_length=50)])


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
    """Turn a validation error into field errors with paths and what would be right, at most
    `MOST_ERRORS` and how many more there are.

    :param error: as Pydantic raised it.
    :param model: the document's class, used to suggest known keys.
    """
    if (many := error.error_count()) > MOST_FAULTS:
        return [FieldError("", f"has {many:,} faults", KEYS)]
    items = error.errors(include_url=False, include_input=False)
    guesses = itertools.count()
    found = [_field_error(item, model, guesses) for item in items[:MOST_ERRORS]]
    more = len(items) - MOST_ERRORS
    rest = FieldError("", f"and {more:,} more that {MOST_ERRORS} errors leave out")
    return [*found, rest] if more > 0 else found


def _field_error(
    item: Mapping[str, Any], model: type[BaseModel], guesses: Iterator[int]
) -> FieldError:
    location = tuple(item["loc"])
    message, expected = in_words(item)
    if item["type"] == "extra_forbidden":
        key = str(location[-1])
        known = known_keys(model, location[:-1])
        close = near(key, known) if next(guesses) < MOST_GUESSES else None
        message = f"unknown key {key[:LONGEST_TOLD]!r}"
        message += f"; did you mean {close!r}?" if close else ""
        expected = "one of " + listed(sorted(known)) if known else ""
    return FieldError(path=dotted(location), message=message, expected=expected)


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
            part = part[:LONGEST_TOLD]  # noqa: PLW2901 - a key may be as long as a document
            path += f".{part}" if path else part
    return path


def known_keys(model: type[BaseModel], location: tuple[int | str, ...]) -> list[str]:
    """The keys that may stand at a location of a document, or [] where anything may."""
    schema = _schema(model)
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


@lru_cache(maxsize=32)
def _schema(model: type[BaseModel]) -> dict[str, Any]:
    return model.model_json_schema()


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
