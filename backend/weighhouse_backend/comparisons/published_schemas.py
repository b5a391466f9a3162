"""Published sides of a comparison as the API shows them."""

from uuid import UUID

from pydantic import BaseModel
from weighhouse_protocol.published.cells import PublishedCell
from weighhouse_protocol.published.source import PublishedSource

from weighhouse_backend.sources.schemas import PublishedFindingRead


class PublishedSideRead(BaseModel):
    """A side that others measured, beside ours: in no interval, difference, rank or verdict."""

    key: str
    """`SOURCE~SIDE`."""
    label: str
    source_id: UUID
    source_version: int
    source: PublishedSource
    """Who published it: to be named wherever its figures stand."""
    system: str
    version: str
    sponsored: bool | None
    """Whether who sells it paid for the study; null: not told."""
    colour: str
    """Of the system, where it is one of ours; its marks are drawn hollow."""
    mark: str
    cells: list[PublishedCell]
    """With workload and load as the source has them; they are no cells of ours."""
    findings: list[PublishedFindingRead]
    """Their cells counted from 0 among these."""
    no_verdict: str
    """Why it is called neither better nor worse."""
