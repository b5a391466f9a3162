"""What is said of a value that Pydantic refused: our words for its names of faults. Pure."""

from collections.abc import Mapping
from typing import Any

WORDS: Mapping[str, str] = {
    "missing": "is missing",
    "string_too_short": "is too short",
    "string_too_long": "is too long",
    "string_pattern_mismatch": "is not written as it has to be",
    "too_short": "has too few entries",
    "too_long": "has too many entries",
    **dict.fromkeys(("greater_than", "greater_than_equal"), "is too small"),
    **dict.fromkeys(("less_than", "less_than_equal"), "is too large"),
    "finite_number": "is no finite number",
    "literal_error": "is none of the choices",
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float"), "is no whole number"),
    **dict.fromkeys(("float_type", "float_parsing"), "is no number"),
    **dict.fromkeys(("bool_type", "bool_parsing"), "is neither true nor false"),
    "string_type": "is no text",
    **dict.fromkeys(("list_type", "tuple_type"), "is no list"),
    **dict.fromkeys(("dict_type", "model_type", "model_attributes_type"), "is no mapping"),
}
SIGNS: Mapping[str, str] = {"ge": "≥", "gt": ">", "le": "≤", "lt": "<"}
ENDS: Mapping[str, str] = {"min_length": "at least", "max_length": "at most"}


def in_words(item: Mapping[str, Any]) -> tuple[str, str]:
    """What is wrong, and what would be right; the latter empty where nothing is known of it.

    :param item: of `ValidationError.errors()`.
    """
    kind = str(item["type"])
    message = WORDS.get(kind, str(item["msg"]).removeprefix("Value error, "))
    context: Mapping[str, Any] = item.get("ctx") or {}
    if kind == "missing":
        return message, f"a value for {item['loc'][-1]!r}" if item["loc"] else ""
    if "expected" in context:
        return message, str(context["expected"])
    if bounds := [f"{sign} {context[k]}" for k, sign in SIGNS.items() if k in context]:
        return message, " and ".join(bounds)
    if "pattern" in context:
        return message, f"text like {context['pattern']}"
    of = ("character", "characters") if kind.startswith("string") else ("entry", "entries")
    ends = [f"{end} {_many(context[k], of)}" for k, end in ENDS.items() if k in context]
    return message, " and ".join(ends)


def _many(count: int, of: tuple[str, str]) -> str:
    return f"{count} {of[count != 1]}"
