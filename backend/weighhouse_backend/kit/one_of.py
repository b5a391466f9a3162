"""Bodies of which exactly one of several fields is to be given, said in their schema."""

from itertools import combinations
from typing import Any

TEXT: dict[str, Any] = {"type": "string"}


def exactly_one(**given: dict[str, Any]) -> dict[str, Any]:
    """What to add to a body's schema.

    Said by `not`, since generated clients make types of `oneOf` that nobody can use.

    :param given: by field, the schema of a value that counts as given.
    """
    none = {"properties": {name: {"not": schema} for name, schema in given.items()}}
    two = [
        {"required": list(pair), "properties": {name: given[name] for name in pair}}
        for pair in combinations(given, 2)
    ]
    return {"not": {"anyOf": [none, *two]}}
