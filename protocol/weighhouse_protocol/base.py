"""What every document shares: unknown keys are refused, documents do not change, and nothing in
them is without a bound.

The types below are the only numbers, texts and lists of documents, and `tests/test_bounds.py` walks
all of them: whoever reads a document knows how much it may hold, be it API, agent, worker or
plugin.
"""

import copy
from typing import Annotated, Any, Self, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    Strict,
    StringConstraints,
    ValidationError,
    WithJsonSchema,
)

from weighhouse_protocol.text import AS_KEPT, mended

Name = Annotated[
    str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9._-]*$", min_length=1, max_length=63)
]
"""A short machine-readable name: lower case letters, digits, dot, dash, underscore."""

Fraction = Annotated[float, Field(ge=0.0, le=1.0)]
"""A share between 0 and 1."""

MOST_COUNT = 2**53
"""What a number of JavaScript's holds exactly; a run of a week counts that far at 15 thousand
million operations a second."""
LATEST_US = 4_102_444_800_000_000
"""The beginning of the year 2100, unix µs."""
LONGEST_US = 366 * 86_400 * 1_000_000

Count = Annotated[int, Field(ge=0, le=MOST_COUNT)]
"""How many there were."""
Whole = Annotated[int, Strict(), Field(ge=0, le=MOST_COUNT)]
"""A count as programs send it: neither true nor a text."""
Order = Annotated[int, Field(ge=0, le=2**31 - 1)]
"""The place of something among others: sequences, indices, fences, members."""
Bytes = Annotated[int, Field(ge=0, le=2**63 - 1)]
"""Bytes, or whatever else a kernel counts in 64 bits of which it says "no limit" by the highest."""
Instant = Annotated[int, Field(ge=0, le=LATEST_US)]
"""Unix time, µs."""
Elapsed = Annotated[int, Field(ge=0, le=LONGEST_US)]
"""Time that has passed, µs; up to a year."""
Length = Annotated[int, Field(gt=0, le=LONGEST_US)]
"""How long something took that took time, µs; up to a year."""
Offset = Annotated[int, Strict(), Field(ge=-LATEST_US, le=LATEST_US)]
"""How far one clock is from another, µs."""
Seconds = Annotated[float, Field(ge=0, le=LONGEST_US / 1_000_000)]
"""Time, s; up to a year."""
Percent = Annotated[float, Field(ge=0, le=1_000_000)]
"""A share of one processor or of a hundred; ten thousand processors make the most."""
Rate = Annotated[float, Field(gt=0, le=50_000_000)]
"""Operations a second."""
Measure = Annotated[float, Field(ge=-1e24, le=1e24)]
"""Any other measured number: sums of many stay finite."""


def _whole(text: Any) -> Any:
    """A text out of a program's output may hold halves of surrogate pairs, which no length is told
    of; they are mended here, and refused by whoever reads them as JSON.
    """
    if isinstance(text, str) and not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            return mended(text)
    return text


Label = Annotated[str, BeforeValidator(_whole), Field(max_length=300)]
"""What something is called: names, versions, addresses, kinds of errors."""
Sentence = Annotated[str, BeforeValidator(_whole), Field(max_length=4096)]
"""A sentence or two, a value, a command."""
Words = Annotated[str, BeforeValidator(_whole), Field(max_length=65_536)]
"""A text."""
Page = Annotated[str, BeforeValidator(_whole), Field(max_length=1_000_000)]
"""A text with headings, or a histogram in base64."""

MOST_TOLD = 65_536


def _cut(text: Any) -> Any:
    return text[:MOST_TOLD] if isinstance(text, str) else text


def _last(lines: Any) -> Any:
    return lines[-100:] if isinstance(lines, list | tuple) else lines


Told = Annotated[str, BeforeValidator(_whole), BeforeValidator(_cut), Field(max_length=MOST_TOLD)]
"""What a program printed, for people: as much of it as is kept; an outcome is not lost for it."""
LastLines = Annotated[tuple[Told, ...], Field(max_length=100), BeforeValidator(_last)]
"""The last lines of a log."""

_Item = TypeVar("_Item")
# Of what programs send the first fault is told: to tell thousands takes longer than to read all.
Few = Annotated[tuple[_Item, ...], Field(max_length=100, fail_fast=True)]
Many = Annotated[tuple[_Item, ...], Field(max_length=10_000, fail_fast=True)]
FewBy = Annotated[dict[Label, _Item], Field(max_length=200, fail_fast=True)]
"""Label → something."""
ManyBy = Annotated[dict[Label, _Item], Field(max_length=10_000, fail_fast=True)]
ByName = Annotated[dict[Label, _Item], Field(max_length=200)]
"""Name → what somebody wrote, who is told all that is wrong."""

Scalar = (
    bool
    | Annotated[int, Field(ge=-(2**64), le=2**64)]
    | Annotated[float, Field(ge=-1e300, le=1e300)]
    | Sentence
)
"""A plugin parameter's value as it travels: never a list, never a shell string."""

MOST_NODES, MOST_DEPTH = 10_000, 20


def _small(value: Any) -> Any:
    """:raises ValueError: when JSON has too many values, or lies too deep."""
    waiting, seen = [(value, 1)], 0
    while waiting:
        found, depth = waiting.pop()
        seen += 1
        if depth > MOST_DEPTH or seen > MOST_NODES:
            raise ValueError(f"at most {MOST_NODES:,} values, at most {MOST_DEPTH} deep")
        inner = found.values() if isinstance(found, dict) else found
        if isinstance(found, dict | list | tuple):
            waiting.extend((each, depth + 1) for each in inner)
        elif isinstance(found, int) and abs(found) > 2**64:
            raise ValueError("whole numbers of at most 64 bits")
    return value


SmallJson = Annotated[
    dict[Label, JsonValue],
    Field(max_length=1000),
    AfterValidator(_small),
    WithJsonSchema(
        {
            "type": "object",
            "maxProperties": 1000,
            "propertyNames": {"maxLength": 300},
            "additionalProperties": {"x-most-values": MOST_NODES, "x-most-depth": MOST_DEPTH},
        }
    ),
]
"""An object of JSON that one program tells another, and nobody else looks into."""

LIMITS: dict[str, tuple[str, ...]] = {
    "greater_than_equal": ("ge",),
    "greater_than": ("gt",),
    "less_than_equal": ("le",),
    "less_than": ("lt",),
    "string_too_long": ("max_length",),
    "too_long": ("max_length",),
}
"""Kind of error → where its limit stands: those that are mended by the limit itself."""
ROUNDS = 200
"""What lay behind a limit may be beyond one itself, and of a list the first fault alone is told."""


class _Bounded(BaseModel):
    """What documents of both kinds can."""

    @classmethod
    def as_kept(cls, data: Any) -> Self:
        """A document as it was stored, also by rules of before that had fewer bounds: in the place
        of what is beyond a bound stands the bound. Whatever arrives is never read so.

        :raises ValidationError: when something else is wrong with it.
        """
        for number in range(ROUNDS):
            try:
                return cls.model_validate(data, context=AS_KEPT)
            except ValidationError as error:
                beyond = [one for one in error.errors(include_url=False) if one["type"] in LIMITS]
                if not beyond:
                    raise
                if number == 0:
                    data = copy.deepcopy(data)
                for one in sorted(beyond, key=lambda one: one["loc"][-1] == KEY):
                    (name,) = LIMITS[one["type"]]
                    _bring_within(data, one["loc"], one["ctx"][name])
        return cls.model_validate(data, context=AS_KEPT)


KEY = "[key]"
"""So Pydantic says that a fault is a key's own."""


def _bring_within(data: Any, location: tuple[int | str, ...], limit: Any) -> None:
    """Put a limit, or as much of a text or list as it leaves, in the place of what is beyond."""
    places: list[tuple[Any, Any]] = []
    for part in location:
        inner = places[-1][0][places[-1][1]] if places else data
        if (isinstance(inner, dict) and part in inner) or (
            isinstance(inner, list) and isinstance(part, int) and part < len(inner)
        ):
            places.append((inner, part))  # else the tag of a union, which is no key
    if not places:
        return
    holder, part = places[-1]
    found = holder[part]
    if location[-1] == KEY:
        holder[part[:limit]] = holder.pop(part)
    elif isinstance(found, dict):
        holder[part] = dict(list(found.items())[:limit])
    elif isinstance(found, str | list):
        holder[part] = found[:limit]
    else:
        holder[part] = limit


class Document(_Bounded):
    """Base of all documents: frozen, unknown keys forbidden, defaults visible in schemas."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        use_attribute_docstrings=True,
        validate_default=True,
        allow_inf_nan=False,
    )


class Report(_Bounded):
    """Base of documents a newer sender may extend: frozen, unknown keys ignored."""

    model_config = ConfigDict(
        extra="ignore", frozen=True, use_attribute_docstrings=True, allow_inf_nan=False
    )
