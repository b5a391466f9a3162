"""The document of what others measured."""

from typing import Literal, Self

from pydantic import model_validator

from weighhouse_protocol.base import Document, Few, Many
from weighhouse_protocol.published.cells import PublishedCell, PublishedSide
from weighhouse_protocol.published.figures import ImportNote
from weighhouse_protocol.published.source import PublishedSource


class PublishedResults(Document):
    """A source and its results. Cells name their side; every side has a name of its own."""

    version: Literal[1] = 1
    source: PublishedSource
    sides: Few[PublishedSide] = ()
    cells: Many[PublishedCell] = ()
    notes: Many[ImportNote] = ()

    @model_validator(mode="after")
    def _sides_are_known(self) -> Self:
        names = [side.name for side in self.sides]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            message = f"sides: {twice[0]!r} stands twice; give each a name of its own"
            raise ValueError(message)
        for number, cell in enumerate(self.cells):
            if cell.side not in names:
                message = f"cells.{number}.side: {cell.side!r} is none of the sides"
                raise ValueError(message)
        return self

    def side(self, name: str) -> PublishedSide:
        """The side of a name.

        :raises KeyError: when there is none.
        """
        found = {side.name: side for side in self.sides}
        return found[name]
