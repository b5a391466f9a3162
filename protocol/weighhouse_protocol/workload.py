"""A workload: a named set of parameters in YCSB's terms.

Names and defaults are those of YCSB's CoreWorkload (core/src/main/java/site/ycsb), written in
snake case; `operations` gathers its `…proportion` properties.
"""

from typing import Literal, Self

from pydantic import Field, model_validator

from weighhouse_protocol.base import Document, Fraction, Name

Operation = Literal["read", "update", "insert"]
"""An operation of the core workload."""

RequestDistribution = Literal["uniform", "zipfian", "sequential", "latest"]
"""How keys are chosen; `zipfian` is YCSB's scrambled zipfian, bit for bit."""

WEIGHT_TOLERANCE = 1e-6


class OperationMix(Document):
    """The share of each operation; the shares add up to 1."""

    read: Fraction = 0.0
    update: Fraction = 0.0
    insert: Fraction = 0.0

    @model_validator(mode="after")
    def _adds_up(self) -> Self:
        total = self.read + self.update + self.insert
        if abs(total - 1.0) > WEIGHT_TOLERANCE:
            message = (
                f"the shares add up to {total:g}, not 1; for example {{read: 0.95, update: 0.05}}"
            )
            raise ValueError(message)
        return self


class Workload(Document):
    """A named workload."""

    name: Name
    description: str = Field(default="", max_length=2000)
    record_count: int = Field(default=1000, ge=1, le=10**12)
    """Records in the table before the measured phase starts."""
    insert_start: int = Field(default=0, ge=0)
    """First record number of this slice of the key space."""
    insert_count: int | None = Field(default=None, ge=1)
    """Records the load phase inserts; default: record_count - insert_start."""
    field_count: int = Field(default=10, ge=1, le=1000)
    field_length: int = Field(default=100, ge=1, le=1_000_000)
    """Bytes in a field."""
    field_name_prefix: str = Field(default="field", pattern=r"^[A-Za-z][A-Za-z0-9_]*$")
    read_all_fields: bool = True
    write_all_fields: bool = False
    operations: OperationMix = Field(default_factory=lambda: OperationMix(read=0.95, update=0.05))
    request_distribution: RequestDistribution = "uniform"
    insert_order: Literal["hashed", "ordered"] = "hashed"
    zero_padding: int = Field(default=1, ge=1, le=32)
    verify_fraction: Fraction = 0.0
    """Share of reads whose value is checked against what was written."""

    @model_validator(mode="after")
    def _slice_fits(self) -> Self:
        if self.insert_count is not None:
            end = self.insert_start + self.insert_count
        else:
            end = self.insert_start + 1
        if end > self.record_count:
            message = (
                f"insert_start + insert_count = {end} is beyond record_count {self.record_count}"
            )
            raise ValueError(message)
        return self

    @property
    def record_bytes(self) -> int:
        """Payload bytes of one record, without keys and field names."""
        return self.field_count * self.field_length
