"""What is shared, as the API takes and shows it."""

import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, Field, SecretStr, StrictBool, StrictInt
from weighhouse_protocol.text import Named

from weighhouse_backend.comparisons.questions import QuestionWrite
from weighhouse_backend.disclosure.caveat_schemas import CaveatRead
from weighhouse_backend.kit.schemas import Body

ShareKind = Literal["campaign", "comparison", "series", "report"]
Visibility = Literal["organization", "link", "public"]
LONGEST_DAYS = 366
SHOWS_NOW = (
    "It shows what stands now, not what stood when it was shared: what is measured, judged or said "
    "later is in it, and so is what is taken back."
)


def shows(stood_at: datetime.datetime | None) -> str:
    """What something shared shows, for both of its ends."""
    if stood_at is None:
        return SHOWS_NOW
    then = f"{stood_at.astimezone(datetime.UTC):%Y-%m-%d %H:%M} UTC"
    return (
        f"It shows what stood at {then}, not what stands now: figures and verdicts are as they "
        "were. What has to be known since stands beside them."
    )


class ShareWrite(Body):
    """What to share, with whom. One of `campaign_id`, `series_id`, `comparison`, `report_id`."""

    campaign_id: UUID | None = None
    series_id: UUID | None = None
    comparison: QuestionWrite | None = None
    report_id: UUID | None = None
    visibility: Visibility = "link"
    """`organization`: its people, whatever their role in the project, once they are signed in;
    `link`: whoever has the link; `public`: everybody, and other pages may embed it."""
    title: Annotated[str, Named(120)]
    """What it is called where it is shown."""
    days: Annotated[StrictInt | None, Field(ge=1, le=LONGEST_DAYS)] = 30
    """After which it ends by itself; null: what is public stays until it is taken back."""
    frozen: StrictBool = False
    """Keep what stands now, and show that, whatever comes later; its terms are asked at every
    opening all the same."""
    password: Annotated[SecretStr | None, Field(min_length=8, max_length=200)] = None
    """Of a link: asked for before anything is shown."""


class EmbedRead(BaseModel):
    """How other pages show something public."""

    frame: str | None
    """HTML of an `iframe`; null where no page may embed it."""
    frame_words: str
    """Which pages may, or why none."""
    picture_url: str
    """An SVG with what must stand beside it."""
    badge_url: str | None
    """Of a series: the latest figure as a badge; null of others."""
    markdown: str
    """For a README: the badge, or the picture, as a link to the page."""


class ShareRead(BaseModel):
    """Something that is shared, as its project's people see it."""

    id: UUID
    kind: ShareKind
    campaign_id: UUID | None
    series_id: UUID | None
    report_id: UUID | None
    visibility: Visibility
    title: str
    made_by: str
    created_at: datetime.datetime
    expires_at: datetime.datetime | None
    revoked_at: datetime.datetime | None
    revoked_by: str | None
    stood_at: datetime.datetime | None
    """It shows what stood then; null: what stands now."""
    has_password: bool
    seen_count: int
    last_seen_at: datetime.datetime | None
    state: Literal["open", "ended", "revoked", "stopped"]
    """`stopped`: the terms of a system in it do not allow it any more; it shows nothing."""
    stopped_because: str | None
    """The terms, and what would mend it."""
    url: str | None
    """The link, for those who may share; null where it opens nothing any more."""
    qr_code: str | None = None
    """The link as an SVG, `data:…`; of one that was just made."""
    embed: EmbedRead | None
    """Of what is public and open."""
    shows: str
    """Whether it shows what stands now, or what stood then; its readers are told the same."""


class PasswordWrite(Body):
    """What somebody was told."""

    password: Annotated[SecretStr, Field(min_length=1, max_length=200)]


class UnlockedRead(BaseModel):
    """The password was right."""

    token: str
    """In place of the link's own from here on."""
    expires_at: datetime.datetime


class SinceRead(BaseModel):
    """What became of something since it was kept as it stood."""

    changed: bool
    """Whether its figures, or what is said of them, stand otherwise now."""
    words: str
    caveats: list[CaveatRead]
    """What has to be known by now, and was not then."""


class SharedRead(BaseModel):
    """What somebody without an account is shown first: what it is, and of whom."""

    kind: ShareKind
    title: str
    organization: str
    """Whose figures they are."""
    visibility: Visibility
    shared_at: datetime.datetime
    expires_at: datetime.datetime | None
    shows: str
    """Whether it shows what stands now, or what stood then."""
    stood_at: datetime.datetime | None
    """Null: it shows what stands now."""
    since: SinceRead | None
    """Of what shows what stood."""


class PublicRead(BaseModel):
    """Something public, in the list of the front page."""

    id: UUID
    kind: ShareKind
    title: str
    organization: str
    shared_at: datetime.datetime
    url: str
