"""Disclaimers and disclosures as the API shows them."""

from typing import Literal

from pydantic import BaseModel


class DisclaimerRead(BaseModel):
    """A statement that must stand beside a number."""

    id: str
    kind: Literal["vendor", "sponsor", "plugin", "person", "check"]
    system_id: str | None
    title: str
    text: str
    source: str | None
    severity: Literal["note", "caution", "bar"]


class DisclosureItem(BaseModel):
    """One line of a disclosure."""

    label: str
    value: str


class DisclosureRead(BaseModel):
    """Who paid, who chose the method, who set up each system."""

    completeness: float
    """Share of what is asked that was answered, 0 to 1."""
    items: list[DisclosureItem]
    publication: Literal[
        "open", "open_with_disclosure", "consent_required", "prohibited", "unknown"
    ]
    """The strictest of the systems' publication policies."""
