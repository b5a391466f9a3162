"""Comparisons as they are asked for in bodies, and kept."""

from typing import Annotated
from uuid import UUID

from pydantic import Field, StrictInt

from weighhouse_backend.comparisons.sides import MOST_SIDES, Question, cell_named
from weighhouse_backend.kit.schemas import Body


class QuestionWrite(Body):
    """A comparison, as its address asks for it."""

    side: Annotated[
        list[Annotated[str, Field(max_length=200)]],
        Field(max_length=MOST_SIDES, default_factory=list),
    ]
    campaign: UUID | None = None
    base: UUID | None = None
    baseline: Annotated[StrictInt, Field(ge=0, le=100)] = 0
    cell: Annotated[str | None, Field(max_length=300)] = None
    published: Annotated[
        list[Annotated[str, Field(max_length=200)]],
        Field(max_length=20, default_factory=list),
    ]
    """Sides of published sources beside it, each `SOURCE~SIDE`."""


def question_of(asked: QuestionWrite) -> Question:
    """A comparison's address as it is asked."""
    cell = None if asked.cell is None else cell_named(asked.cell)
    return Question(asked.side, asked.campaign, asked.base, asked.baseline, cell, asked.published)
