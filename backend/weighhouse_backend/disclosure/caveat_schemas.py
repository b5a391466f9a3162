"""Caveats as the API shows them: the one list of all that must stand beside numbers."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, WithJsonSchema, model_validator

RunId = Annotated[str, WithJsonSchema({"type": "string", "format": "uuid"})]
"""Of a run, as its text: of thousands an object each would take longer than all else."""


class EvidenceRead(BaseModel):
    """What a caveat rests on: of one run, of one side, or of all."""

    run_id: UUID | None
    side: str | None
    """Key of the side; None: of all, or of what belongs to none."""
    text: str


class CaveatRead(BaseModel):
    """One thing to know before numbers are believed; each once, however many runs it concerns."""

    id: str
    """Stable: `check:client-bound`, `statement:rocksdb-in-process`."""
    kind: Literal["statement", "check", "confounder", "disclosure", "statistics"]
    code: str
    """Of the check, the statement or the aspect."""
    severity: Literal["bar", "caution", "note"]
    """`bar` is never shown folded."""
    short: str
    """At most eight words, without the count of runs."""
    title: str
    text: str
    sides: list[str]
    """Keys of the sides that it concerns; empty: all."""
    runs: list[RunId]
    """That it concerns; empty where it does not come out of runs. Over a long history those of the
    latest runs."""
    runs_count: int
    """How many it concerns."""
    runs_of: int
    """Runs that were asked; 0 where it does not come out of runs."""
    evidence: list[EvidenceRead]
    help: str | None
    """Path of the page of documentation."""

    @model_validator(mode="before")
    @classmethod
    def _counted(cls, told: object) -> object:
        """What was kept before they were counted named all of them."""
        if isinstance(told, dict) and "runs_count" not in told:
            return {**told, "runs_count": len(told.get("runs", ()))}
        return told

    @property
    def chip(self) -> str:
        """The short form with the count of runs, where it is of several."""
        many = f" · {self.runs_count} of {self.runs_of} runs" if self.runs_of > 1 else ""
        return self.short + many
