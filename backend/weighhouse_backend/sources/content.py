"""A document of published results as it is stored: what is shown, and the bulk beside it."""

import hashlib
import zlib

from pydantic import ValidationError
from weighhouse_protocol.published.results import PublishedResults

from weighhouse_backend.kit.problems import FieldProblem
from weighhouse_backend.sources.errors import PublishedResultsRefused

MOST_SHOWN_BYTES = 4 * 1024 * 1024
"""Of a document without intervals and histograms."""
MOST_ERRORS = 20


def read(content: bytes) -> PublishedResults:
    """A document as somebody sent it.

    :raises PublishedResultsRefused: naming the fields.
    """
    if rb"\u0000" in content:
        raise PublishedResultsRefused("a NUL in a text: no database keeps it; leave it out")
    try:
        found = PublishedResults.model_validate_json(content)
    except ValidationError as error:
        problems = [
            FieldProblem(path=".".join(map(str, one["loc"])), message=one["msg"])
            for one in error.errors(include_url=False, include_input=False)[:MOST_ERRORS]
        ]
        first = problems[0]
        raise PublishedResultsRefused(
            f"{first.path or 'the document'}: {first.message}", errors=problems
        ) from error
    if not found.sides or not any(cell.figures or cell.intervals for cell in found.cells):
        raise PublishedResultsRefused(
            "it has no figure: give at least one side with a cell that has one",
            errors=[FieldProblem(path="cells", message="has no figure", expected="one at least")],
        )
    return found


def without_bulk(results: PublishedResults) -> PublishedResults:
    """The same without intervals and histograms, as pages and comparisons read it."""
    cells = tuple(
        cell.model_copy(update={"intervals": (), "columns": (), "histograms": {}})
        for cell in results.cells
    )
    return results.model_copy(update={"cells": cells})


def packed(results: PublishedResults) -> bytes:
    """All of it, deflated."""
    return zlib.compress(_json(results))


def unpacked(content: bytes) -> bytes:
    """The JSON of what was packed."""
    return zlib.decompress(content)


def digest(results: PublishedResults) -> str:
    """SHA-256 of all that it says."""
    return hashlib.sha256(_json(results)).hexdigest()


def _json(results: PublishedResults) -> bytes:
    return results.model_dump_json(exclude_defaults=True).encode()
