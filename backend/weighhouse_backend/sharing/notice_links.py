"""Links in messages to channels whose readers have no account: to the campaign or the series alone
that a message tells of, where the terms of the systems in it allow it.
"""

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from weighhouse_protocol import pages
from weighhouse_protocol.text import numbered

from weighhouse_backend.alerts.alert_reader import AlertReading
from weighhouse_backend.disclosure.errors import PublicationRefused
from weighhouse_backend.disclosure.publication import Leaving
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.problems import NotFound, Problem
from weighhouse_backend.notices.deliveries import Parcel
from weighhouse_backend.notices.kinds import OpenTo
from weighhouse_backend.notices.messages import FOR_MEMBERS, Message
from weighhouse_backend.sharing.models import Share
from weighhouse_backend.sharing.repository import ShareRepository
from weighhouse_backend.sharing.service import ShareService
from weighhouse_backend.sharing.subjects import SubjectService

LONGEST_TITLE = 120
LASTS = datetime.timedelta(days=30)
NOT_OTHERS = f"{FOR_MEMBERS}; terms of systems in it keep it from others"
TAKEN_BACK = f"{FOR_MEMBERS}; the channel's link to it was taken back"


@dataclass(frozen=True)
class NoticeLinkService:
    """Has a channel's messages link to what its readers can open."""

    repository: ShareRepository
    shares: ShareService
    subjects: SubjectService
    alerts: AlertReading
    clock: Clock

    def linked(self, parcel: Parcel) -> Parcel:
        """The parcel, each of its messages with a page that whoever gets it can open, and with the
        words that say who that is. A channel shares a thing once; what was taken back it does not
        share again. Repeatable.
        """
        if parcel.open_to != OpenTo.READERS:
            return parcel
        maker = f"channel {parcel.channel}"
        return replace(parcel, messages=[self._linked(maker, one) for one in parcel.messages])

    def _linked(self, maker: str, message: Message) -> Message:
        named = self._named(message)
        if named is None:
            return message
        now = self.clock.now()
        row = self.repository.made_by(maker, message.project_id, *named.values())
        if row is not None and row.revoked_at is not None:
            return replace(message, opens_for=TAKEN_BACK)
        known = row is not None and row.expires_at is not None and row.expires_at > now
        if row is None or not known:
            row = Share(
                **named, project_id=message.project_id, visibility="link", made_by=maker,
                kind="campaign" if named["campaign_id"] else "series",
                title=message.title[:LONGEST_TITLE], created_at=now,
                expires_at=(now + LASTS).replace(microsecond=0),
            )  # fmt: skip
        try:
            leaving = self.subjects.require(row)
        except PublicationRefused:
            return replace(message, opens_for=NOT_OTHERS)
        except Problem:  # it has nothing that could be shown
            return message
        if not known:
            row.title = self._title(row, leaving)
            self.repository.session.add(row)
            self.repository.session.flush()
            self.shares.note(maker, row, "share.made", days=LASTS.days)
        opens = f"whoever has it, until {row.expires_at:%Y-%m-%d}"
        return replace(message, url=self.shares.address_of(row), opens_for=opens)

    def _named(self, message: Message) -> Mapping[str, UUID | None] | None:
        """The campaign or series that a message tells of; None: it tells of nothing that is
        shared, as of an agent or a quota.
        """
        subject = pages.subject_of(message.path)
        if subject is None:
            return None
        kind, its_id = subject
        if kind == "campaign":
            return {"campaign_id": its_id, "series_id": None}
        reader = Caller("token", message.id, "channel", {message.project_id: Role.VIEWER})
        try:
            change = self.alerts.read(reader, its_id).change
        except NotFound:
            return None
        if change is None:
            return None
        return {"campaign_id": None, "series_id": change.lead.series_id}

    def _title(self, row: Share, leaving: Sequence[Leaving]) -> str:
        """What it is called where it is shown, whatever the message says of it."""
        name = leaving[0].experiment.name if leaving else row.title
        if row.campaign_id is not None:
            number = self.repository.number_of(row.campaign_id)
            name = f"{name[: LONGEST_TITLE - 20]}, campaign {numbered(number)}"
        return name[:LONGEST_TITLE]
