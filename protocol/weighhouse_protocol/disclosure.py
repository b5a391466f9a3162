"""What an experiment discloses: who stands behind it."""

from typing import Literal

from pydantic import Field

from weighhouse_protocol.base import Document, Few, Name, Sentence


class SystemDisclosure(Document):
    """Who set up one system, and whether its vendor was asked."""

    system: Name
    configured_by: str = Field(default="", max_length=200)
    tuning: Literal[
        "neutral_default", "vendor_tuned", "competitor_tuned", "community", "unknown"
    ] = "unknown"
    tuning_effort: str = Field(default="", max_length=1000)
    """What was done to set it up well, and for how long; `none` is an answer."""
    vendor_contacted: bool = False
    vendor_reply: str = Field(default="", max_length=4000)


class Disclosure(Document):
    """Who paid, who chose the method, who set up each system."""

    sponsor: str = Field(default="", max_length=200)
    """Who paid; `nobody` is an answer."""
    method_author: str = Field(default="", max_length=200)
    affiliations: str = Field(default="", max_length=1000)
    """How those who measured stand to the vendors; `none` is an answer."""
    conflicts: str = Field(default="", max_length=1000)
    """Whose interest the outcome touches; `none` is an answer."""
    hosting: str = Field(default="", max_length=1000)
    """Whose machines these are; in a cloud: instance, region, price and the price's date."""
    systems: Few[SystemDisclosure] = ()
    caveats: Few[Sentence] = ()
    """What the figures do not show."""
