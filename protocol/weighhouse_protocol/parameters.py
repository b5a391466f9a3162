"""The schema of a plugin's parameters or driver options, and values held against it. Pure.

Whoever reads a manifest did not write it: a schema has the words below and no others, refers to
nothing, and is of bounded size; what is not one of them is refused where the manifest is read.
"""

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import chain
from typing import Annotated, Any, Literal, Self

from pydantic import (
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    StrictBool,
    StringConstraints,
    ValidationError,
    WrapValidator,
    model_validator,
)
from pydantic_core import CoreSchema
from pydantic_core.core_schema import (
    ValidatorFunctionWrapHandler,
    no_info_wrap_validator_function,
    plain_serializer_function_ser_schema,
)

from weighhouse_protocol.base import Document, Label, Scalar, Sentence
from weighhouse_protocol.patterns import (
    LONGEST_PATTERN,
    MOST_PLACES,
    PatternRefused,
    check_pattern,
    matches,
)

MOST_PARAMETERS = 200
MOST_CHOICES = 200
MOST_EXAMPLES = 20
LONGEST_TEXT = 1024
"""Characters of a value."""
GREATEST = 2**64
"""Of a number, either way."""
SHOWN = 80
"""Characters of a value in a message."""

ParameterName = Annotated[
    str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_.-]*$", max_length=100)
]


def _in_words(words: str) -> WrapValidator:
    """One sentence where each branch of a union would have its own."""

    def judge(value: Any, check: ValidatorFunctionWrapHandler) -> Any:
        try:
            return check(value)
        except ValidationError as error:
            raise ValueError(words) from error

    return WrapValidator(judge)


_NUMBER = "a number between -2⁶⁴ and 2⁶⁴"
_CHOICE = f"true, false, {_NUMBER}, or a text of up to 300 characters"
_Number = (
    Annotated[int, Field(ge=-GREATEST, le=GREATEST)]
    | Annotated[float, Field(ge=-GREATEST, le=GREATEST)]
)
_Choice = bool | _Number | Label
Number = Annotated[_Number, _in_words(f"should be {_NUMBER}")]
Choice = Annotated[_Choice, _in_words(f"should be {_CHOICE}")]
Size = Annotated[int, Field(ge=0, le=LONGEST_TEXT)]
Note = Annotated[
    _Choice
    | Annotated[dict[Label, _Choice], Field(max_length=MOST_CHOICES)]
    | Annotated[list[_Choice], Field(max_length=MOST_CHOICES)],
    _in_words(
        f"should be {_CHOICE}; or a list of up to {MOST_CHOICES} of them, with names or without"
    ),
]
"""What a key that begins with `x-` has, where it is the plugin's own."""

NUMBERS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
TEXTS = ("minLength", "maxLength", "pattern")
INSTEAD = {
    "$ref": "write out what it refers to",
    "format": "say it by `pattern`",
    "const": "say it by `enum`",
    "required": "give each parameter a `default`",
    "patternProperties": "name each parameter",
    **dict.fromkeys(
        ("allOf", "anyOf", "oneOf", "not", "if", "dependentRequired"),
        "say it by `enum` and bounds, and what parameters need of each other by `requirements`",
    ),
}
"""A word of JSON Schema that is none here → what to do without it."""


class _Words(Document):
    """What a part of a schema may say; strict, for values stay as they are written."""

    model_config = ConfigDict(strict=True)

    @model_validator(mode="before")
    @classmethod
    def _has_no_others(cls, data: object) -> object:
        if not isinstance(data, Mapping):
            return data
        known = {each.alias or name for name, each in cls.model_fields.items()}
        free = cls.model_config.get("extra") == "allow"
        for name, value in data.items():
            word = str(name)[:SHOWN]
            if name not in known and not (free and word.startswith("x-") and word == name):
                what = INSTEAD.get(word, f"there are: {', '.join(sorted(known))}")
                raise ValueError(f"`{word}` is no word of a parameters' schema: {what}")
            if value is None:
                raise ValueError(f"`{word}` is null: leave it out")
        return data


def _with_notes(schema: dict[str, Any]) -> None:
    """JSON Schema of a parameter: whatever begins with `x-` is the plugin's."""
    schema["patternProperties"] = {"^x-": schema["additionalProperties"]}
    schema["additionalProperties"] = False


class Parameter(_Words):
    """What a parameter's value may be, and what people and the platform are told of it."""

    model_config = ConfigDict(extra="allow", json_schema_extra=_with_notes)
    __pydantic_extra__: dict[str, Note] = Field(init=False)

    title: Label = ""
    description: Sentence = ""
    type: Literal["boolean", "integer", "number", "string"] | None = None
    default: Choice | None = None
    enum: list[Choice] | None = Field(default=None, min_length=1, max_length=MOST_CHOICES)
    examples: list[Choice] = Field(default=[], max_length=MOST_EXAMPLES)
    minimum: Number | None = None
    maximum: Number | None = None
    exclusiveMinimum: Number | None = None  # noqa: N815 - as JSON Schema has it
    exclusiveMaximum: Number | None = None  # noqa: N815
    multipleOf: Number | None = Field(default=None, ge=1e-9)  # noqa: N815
    minLength: Size | None = None  # noqa: N815
    maxLength: Size | None = None  # noqa: N815
    pattern: str | None = Field(default=None, max_length=LONGEST_PATTERN)
    """As `patterns` reads it; of the whole value."""
    unit: Label = Field(default="", alias="x-unit")
    aspect: Label = Field(default="", alias="x-aspect")
    setting: Label = Field(default="", alias="x-setting")
    unset: Choice | None = Field(default=None, alias="x-unset")
    build: StrictBool = Field(default=False, alias="x-build")
    power_of_two: StrictBool = Field(default=False, alias="x-power-of-two")
    holds: Literal["data", "cache"] | None = Field(default=None, alias="x-holds")
    holds_percentage: Annotated[float, Field(gt=0, le=100)] | Label | None = Field(
        default=None, alias="x-holds-percentage"
    )
    holds_times: Label | None = Field(default=None, alias="x-holds-times")
    scale: Annotated[int, Field(ge=1, le=GREATEST)] = Field(default=1, alias="x-scale")
    suffix: Label = Field(default="", alias="x-suffix")
    true: Label = Field(default="yes", alias="x-true")
    false: Label = Field(default="no", alias="x-false")
    words: dict[Label, Label] = Field(default={}, alias="x-words", max_length=MOST_CHOICES)

    @model_validator(mode="after")
    def _can_be_kept(self) -> Self:
        if len(self.__pydantic_extra__ or {}) > MOST_CHOICES:
            raise ValueError(f"has more than {MOST_CHOICES} keys of its own")
        said = self.model_dump(by_alias=True, exclude_unset=True)
        for problem in chain(self._word_problems(said), self._own_problems(said)):
            raise ValueError(problem)
        return self

    def _word_problems(self, said: Mapping[str, Any]) -> Iterator[str]:
        """Words that say nothing beside others."""
        for names, kinds in ((NUMBERS, ("integer", "number")), (TEXTS, ("string",))):
            for name in names:
                if name in said and self.type not in (None, *kinds):
                    yield f"{name}: is of the type {' or '.join(kinds)}"
        if self.pattern is not None and self.enum is not None:
            yield "pattern: `enum` says it already"
        for least, most in (("minimum", "maximum"), ("minLength", "maxLength")):
            if least in said and most in said and said[least] > said[most]:
                yield f"{least}: {said[least]} is more than {most}, {said[most]}"
        if self.pattern is not None:
            try:
                check_pattern(self.pattern)
            except PatternRefused as error:
                yield f"pattern: {error}"

    def _own_problems(self, said: Mapping[str, Any]) -> Iterator[str]:
        """Values that the schema itself names, and does not take."""
        bounds: Mapping[str, Any] = {name: value for name, value in said.items() if name != "enum"}
        values = [("enum", bounds, each) for each in self.enum or ()]
        values += [("examples", said, each) for each in self.examples]
        values += [("default", said, self.default)] if self.default is not None else []
        for name, schema, value in values:
            yield from (f"{name}: {problem}" for problem in value_problems(schema, value))


class ParametersSchema(_Words):
    """An object of named parameters; none may be given that is not named."""

    type: Literal["object"] = "object"
    title: Label = ""
    description: Sentence = ""
    additionalProperties: StrictBool = False  # noqa: N815 - as JSON Schema has it
    properties: dict[ParameterName, Parameter] = Field(default={}, max_length=MOST_PARAMETERS)

    @model_validator(mode="after")
    def _can_be_kept(self) -> Self:
        places = sum(check_pattern(each.pattern) for each in self.properties.values()
                     if each.pattern is not None)  # fmt: skip
        if places > 2 * MOST_PLACES:
            raise ValueError(
                f"properties: their patterns are larger than {2 * MOST_PLACES} places together, "
                "with repetitions written out: say lengths by `maxLength`, or repeat less"
            )
        numbers = {name for name, each in self.properties.items() if each.type != "string"}
        for name, each in self.properties.items():
            asked = {"x-holds-percentage": each.holds_percentage, "x-holds-times": each.holds_times}
            for word, other in asked.items():
                if isinstance(other, str) and other not in numbers:
                    raise ValueError(f"properties.{name}.{word}: no number is called `{other}`")
        return self


class _AsWritten:
    """A schema is checked, and stays the mapping that it was written as: that is what its digest
    is of, and what plugins look into for what is their own.
    """

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """The checks and the JSON Schema of `ParametersSchema`, around a mapping."""

        def checked(value: object, check: ValidatorFunctionWrapHandler) -> object:
            check(value)
            return value

        return no_info_wrap_validator_function(
            checked,
            handler.generate_schema(ParametersSchema),
            serialization=plain_serializer_function_ser_schema(lambda value: value),
        )


Parameters = Annotated[dict[str, object], _AsWritten()]
"""A `ParametersSchema` as a manifest has it."""


def declared(schema: Mapping[str, object]) -> dict[str, dict[str, Any]]:
    """The properties of an object schema: name → its own schema."""
    properties = schema.get("properties", {})
    return dict(properties) if isinstance(properties, Mapping) else {}


def defaults(schema: Mapping[str, object]) -> dict[str, Scalar]:
    """The default of each property that has one."""
    return {name: each["default"] for name, each in declared(schema).items() if "default" in each}


def value_problems(schema: Mapping[str, Any], value: Scalar) -> list[str]:
    """What is wrong with a value of one parameter, in words; nothing: it may have it.

    :param schema: of the parameter, as `Parameter` reads it; further words say nothing.
    """
    if (size := _oversize(value)) is not None:
        return [size]
    kind = schema.get("type")
    if kind is not None and not _is(kind, value):
        return [f"{_shown(value)} is not of type '{kind}'"]
    choices = schema.get("enum")
    if choices is not None and not any(same(value, each) for each in choices):
        named = ", ".join(str(each)[:SHOWN] for each in choices)
        return [f"`{_cut(str(value))}` is not one of: {named}"]
    if isinstance(value, bool):
        return []
    return list(_text_problems(schema, value) if isinstance(value, str)
                else _number_problems(schema, value))  # fmt: skip


def same(one: Scalar, other: Scalar) -> bool:
    """Whether two values are one: a flag is no number."""
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def _oversize(value: Scalar) -> str | None:
    if isinstance(value, str):
        long = len(value) > LONGEST_TEXT
        return f"has {len(value)} characters, up to {LONGEST_TEXT} are taken" if long else None
    # What is not a number is neither less nor greater.
    return None if -GREATEST <= value <= GREATEST else "is no number between -2⁶⁴ and 2⁶⁴"


def _is(kind: str, value: Scalar) -> bool:
    if isinstance(value, bool) or kind == "boolean":
        return isinstance(value, bool) and kind == "boolean"
    if isinstance(value, str):
        return kind == "string"
    return kind == "number" or (kind == "integer" and value == int(value))


def _number_problems(schema: Mapping[str, Any], value: float) -> Iterator[str]:
    least, most = schema.get("minimum"), schema.get("maximum")
    above, below = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    step = schema.get("multipleOf")
    if least is not None and value < least:
        yield f"{value} is less than the minimum of {least}"
    if most is not None and value > most:
        yield f"{value} is greater than the maximum of {most}"
    if above is not None and value <= above:
        yield f"{value} is not greater than {above}"
    if below is not None and value >= below:
        yield f"{value} is not less than {below}"
    if step is not None and Fraction(str(value)) % Fraction(str(step)):
        yield f"{value} is not a multiple of {step}"
    if schema.get("x-power-of-two") and value > 0 and (power := _power_below(value)) != value:
        yield f"{value} is not a power of two: write {power}"


def _power_below(value: float) -> float:
    """The greatest power of two that is not greater than a positive number."""
    return 1 << int(value).bit_length() - 1 if value >= 1 else 2 ** (math.frexp(value)[1] - 1)


def _text_problems(schema: Mapping[str, Any], value: str) -> Iterator[str]:
    least, most = schema.get("minLength"), schema.get("maxLength")
    pattern = schema.get("pattern")
    if least is not None and len(value) < least:
        yield f"{_shown(value)} is shorter than {least} characters"
    if most is not None and len(value) > most:
        yield f"{_shown(value)} is longer than {most} characters"
    if pattern is not None and not matches(pattern, value):
        yield f"{_shown(value)} does not match '{pattern}'"


def _shown(value: Scalar) -> str:
    return _cut(repr(value))


def _cut(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"
