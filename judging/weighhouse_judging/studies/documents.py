"""`study.yaml` of a study's folder, as a typed document; its claims are in `language`."""

from typing import Literal, Self

from pydantic import Field, model_validator
from weighhouse_protocol.base import Document, Name

from weighhouse_judging.studies.language import Words, known_figure
from weighhouse_judging.studies.printed import Printed, printed


class Source(Document):
    """Where the study stands, who made it, who paid."""

    title: Words
    authors: Words
    published_in: Words
    sponsor: Words
    """Who paid or decided; `none stated` where nothing is said."""
    licence: Words
    """Of the text; of the raw data, where there are any."""
    quoted: Words
    """What is taken over from it, and what is not."""
    machines: Words
    tool: Words
    raw_data: Words
    disclaimer: Words
    """What the study itself, or its sponsor, makes a condition of reading its figures."""


class StudySide(Document):
    """A system of the study."""

    name: Name
    """The name of its target in the experiment files."""
    label: Words
    small: bool
    """Is it measured at small scale unless somebody asks otherwise?"""
    because: str = ""
    """Why it is not."""

    @model_validator(mode="after")
    def _says_why(self) -> Self:
        if self.small == bool(self.because):
            raise ValueError(
                f"because: {self.name} is "
                + ("measured at small scale; leave it out" if self.small else "not; say why")
            )
        return self


class Difference(Document):
    """Something that we do otherwise than the study."""

    what: Words
    why: Words


class PublishedFigure(Document):
    """A figure of the text, as it is printed."""

    side: Name
    workload: Words
    load: Words
    """Label of the load level: `32 clients`."""
    figure: str = "throughput"
    """A name of the platform's figures."""
    printed: Words
    """Number and unit: `436 ms`."""
    place: Words
    """Where in the text."""
    setting: str = ""
    """What sets it apart from another figure of the same cell: the machine."""

    @model_validator(mode="after")
    def _can_be_read(self) -> Self:
        known_figure(self.figure)
        printed(self.printed, self.figure)
        return self

    @property
    def read(self) -> Printed:
        """Its value, and what it was rounded from."""
        return printed(self.printed, self.figure)


class Study(Document):
    """`study.yaml`: a published study as it can be run again."""

    version: Literal[1] = 1
    name: Name
    title: Words
    order: int = Field(ge=1, le=99)
    """Its place in lists."""
    asks: Words
    """The study's question, in our words."""
    answers: Words
    """What it claims, taken together; of a study of our own, what we expected. Whole sentences."""
    source: Source | None
    """None: a study of our own."""
    sides: tuple[StudySide, ...] = Field(min_length=1)
    otherwise: tuple[Difference, ...] = ()
    published: tuple[PublishedFigure, ...] = ()

    @model_validator(mode="after")
    def _names_are_known(self) -> Self:
        sides = [side.name for side in self.sides]
        if twice := sorted({name for name in sides if sides.count(name) > 1}):
            raise ValueError(f"sides: {', '.join(twice)} stands twice; each system once")
        seen = set()
        for at, one in enumerate(self.published):
            if one.side not in sides:
                raise ValueError(
                    f"published[{at}].side: {one.side!r} is no side; those are {', '.join(sides)}"
                )
            key = (one.side, one.workload, one.load, one.figure, one.setting)
            if key in seen:
                raise ValueError(
                    f"published[{at}]: {one.figure} of {one.side}, {one.workload}, {one.load} "
                    "stands twice; give one of the two a `setting`"
                )
            seen.add(key)
        return self
