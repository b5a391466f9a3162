"""Findings as the API shows them."""

from typing import Literal, NamedTuple, Self
from uuid import UUID

from pydantic import BaseModel, model_validator
from weighhouse_judging.findings import checks

from weighhouse_backend.disclosure.caveat_schemas import CaveatRead
from weighhouse_backend.results.schemas import RunFacts


class FindingRead(BaseModel):
    """What a check has to say of a run or a comparison."""

    id: str
    severity: Literal["info", "caution", "error"]
    title: str
    message: str
    numbers: dict[str, float | int | str | bool | None]
    formula: str
    source: str
    documentation: str
    scope: Literal["run", "comparison"]

    @model_validator(mode="after")
    def _is_called_by_its_text(self) -> Self:
        """What is stored was called something by the version that found it."""
        self.title = checks.title_of(self.id, self.message, self.title)
        return self

    @classmethod
    def of(cls, finding: checks.Finding) -> "FindingRead":
        """A finding as it is shown."""
        return cls(
            id=finding.id,
            severity=finding.severity,
            title=finding.title,
            message=finding.message,
            numbers=dict(finding.numbers),
            formula=finding.formula,
            source=finding.source,
            documentation=finding.documentation,
            scope=finding.scope,
        )


class RunFinding(NamedTuple):
    """What a check found of one run, without its numbers: as lists and caveats need it of many."""

    run_id: UUID
    check: str
    severity: checks.Severity
    title: str
    message: str
    formula: str
    source: str
    documentation: str

    @classmethod
    def of(cls, run_id: UUID, finding: FindingRead) -> "RunFinding":
        """The same of one finding."""
        return cls(
            run_id,
            finding.id,
            finding.severity,
            finding.title,
            finding.message,
            finding.formula,
            finding.source,
            finding.documentation,
        )


class RunRead(RunFacts):
    """A run with its facts, and what must stand beside its numbers."""

    caveats: list[CaveatRead]
    """Each thing once, the gravest first."""
    findings: list[FindingRead]
    """What checks have to say of it, with their numbers; the caveats count them already."""
