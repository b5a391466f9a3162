"""What the verdict of a campaign compares with, in words: as documents, requests and commands give
it, and as it is kept. Pure.
"""

import re
from dataclasses import dataclass
from typing import Annotated, Literal, Self
from uuid import UUID

from pydantic import AfterValidator, Field

BaseKind = Literal["pooled", "branch", "release", "campaign", "merge-base", "beside", "none"]
RELEASE = r"[A-Za-z0-9][A-Za-z0-9._+/-]{0,79}"
"""Names of releases: such as tags of versions."""
FORMS = (
    "pooled, branch:NAME, release:NAME, campaign:ID, merge-base, beside, "
    "beside: with one of these, or none"
)
PATTERN = (
    rf"^(pooled|none|beside|(beside:)?(merge-base|branch:.{{1,255}}|release:{RELEASE}"
    r"|campaign:[0-9A-Fa-f-]{32,36}))$"
)
"""For editors of documents; what is checked is `BaseChoice.parse`."""


EARLIER = frozenset({"branch", "release", "campaign", "merge-base"})
"""Of which kinds what is measured beside may be."""
_ALONE: dict[str, BaseKind] = {
    "pooled": "pooled",
    "none": "none",
    "beside": "beside",
    "merge-base": "merge-base",
}


@dataclass(frozen=True)
class BaseChoice:
    """What a campaign is compared with.

    `pooled`: the latest campaigns of its branch that did not regress; `branch`: those of
    another branch; `release`: the campaign that stands for a release; `campaign`: that one;
    `merge-base`: those of the commit that a pull request began at, or of its nearest measured
    ancestor;
    `beside`: the latest of them, whose targets are measured again in the same campaign.
    """

    kind: BaseKind
    name: str = ""
    """Of the branch or release, the campaign's identifier, or in words what is measured beside."""

    def __str__(self) -> str:
        return f"{self.kind}:{self.name}" if self.name else self.kind

    @property
    def campaign_id(self) -> UUID | None:
        """The campaign, where one is named."""
        return UUID(self.name) if self.kind == "campaign" else None

    @property
    def earlier(self) -> "BaseChoice":
        """Which earlier campaigns it means, measured again or not."""
        if self.kind != "beside":
            return self
        return BaseChoice.parse(self.name) if self.name else POOLED

    @classmethod
    def parse(cls, text: str) -> Self:
        """A choice out of its words.

        :raises ValueError: for words that are none; the message has the forms.
        """
        kind, colon, name = text.partition(":")
        if text in _ALONE:
            return cls(_ALONE[text])
        if kind == "beside" and name.partition(":")[0] in EARLIER:
            return cls("beside", str(cls.parse(name)))
        if kind == "branch" and name and len(name) <= 255 and "\0" not in name:  # noqa: PLR2004
            return cls("branch", name)
        if kind == "release" and re.fullmatch(RELEASE, name):
            return cls("release", name)
        if kind == "campaign" and colon:
            return cls("campaign", str(UUID(name)))
        raise ValueError(f"{text!r} is no base; it is one of {FORMS}")


POOLED = BaseChoice("pooled")
NO_BASE = BaseChoice("none")
MERGE_BASE = BaseChoice("merge-base")


def _spelled(text: str) -> str:
    return str(BaseChoice.parse(text))


BaseText = Annotated[
    str,
    AfterValidator(_spelled),
    Field(
        max_length=300,
        examples=["pooled", "branch:main", "release:7.2.1", "beside"],
        json_schema_extra={"pattern": PATTERN},
    ),
]
"""A choice in words: `pooled`, `branch:NAME`, `release:NAME`, `campaign:ID`, `merge-base`,
`beside` or `none`.
"""
