"""What every document shares: unknown keys are refused, and documents do not change."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, Strict, StringConstraints

Name = Annotated[
    str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9._-]*$", min_length=1, max_length=63)
]
"""A short machine-readable name: lower case letters, digits, dot, dash, underscore."""

Fraction = Annotated[float, Field(ge=0.0, le=1.0)]
"""A share between 0 and 1."""

Whole = Annotated[int, Strict()]
"""A whole number as programs send it: neither true nor a text."""

Scalar = bool | int | float | str
"""A plugin parameter's value as it travels: never a list, never a shell string."""


class Document(BaseModel):
    """Base of all documents: frozen, unknown keys forbidden, defaults visible in schemas."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, use_attribute_docstrings=True, validate_default=True
    )


class Report(BaseModel):
    """Base of documents a newer sender may extend: frozen, unknown keys ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True, use_attribute_docstrings=True)
