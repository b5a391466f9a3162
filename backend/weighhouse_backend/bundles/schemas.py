"""Bundles as the API shows them."""

import datetime
from dataclasses import asdict
from typing import Self

from pydantic import BaseModel

from weighhouse_backend.bundles.reproduction import CellAgain, Outcome, Reproduction, SidesAgain


class KeyRead(BaseModel):
    """The public half of a key that signs bundles."""

    sha256: str
    """By which it is called: of its 32 bytes."""
    public_key: str
    """The same 32 bytes (Ed25519), in base64."""
    pem: str
    """The same as a file."""


class KeysRead(BaseModel):
    """The keys of an installation."""

    present: KeyRead
    former: list[KeyRead]
    """Of its former secrets, as far as they are in its settings; newest first."""


class ReproducedRead(BaseModel):
    """What measuring again came to."""

    outcome: Outcome
    because: str
    same_machines: bool
    """Of one kind; else figures may differ, and what is said of two sides counts."""
    machines: list[str]
    """In what they differ."""
    changes: list[str]
    """In what the targets were set up otherwise."""
    cells: list[CellAgain]
    sides: list[SidesAgain]
    left_out: list[str]
    """Cells that were not measured again, or are another measurement now, each with why."""

    @classmethod
    def of(cls, found: Reproduction) -> Self:
        """A reproduction as it is shown and kept."""
        return cls.model_validate(asdict(found))


class ReproductionRead(ReproducedRead):
    """A bundle that measured a campaign again."""

    manifest_sha256: str
    """By which the bundle is called."""
    key_sha256: str
    own_key: bool
    """Whether this installation signed it itself: then it counts for nobody."""
    added_by: str
    added_at: datetime.datetime


class ReproductionsRead(BaseModel):
    """Who measured a campaign again."""

    reproduced: int
    """Keys of others of which a bundle reproduced it, and none did not."""
    did_not_reproduce: int
    """Keys of others of which a bundle did not reproduce it."""
    cannot_tell: int
    """Keys of others of which no bundle tells."""
    items: list[ReproductionRead]
    """The latest first."""
