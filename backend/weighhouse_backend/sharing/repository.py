"""Queries of what is shared."""

import datetime
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import Select, or_, select, text, update
from sqlalchemy.orm import Session

from weighhouse_backend.identity.models import Organization, Project
from weighhouse_backend.kit.db import among
from weighhouse_backend.runs.models import Campaign
from weighhouse_backend.sharing.models import Share, ShareDocument

_RULES = (
    "manifests", "manifest_offers", "manifest_decisions", "publication_consents",
    "publication_overrides", "published_sources",
)  # fmt: skip
_ROWS = "(SELECT md5(string_agg(xmin::text || ctid::text, ',' ORDER BY ctid)) FROM {})"
_HELD = """
    (SELECT count(*) FROM publication_overrides WHERE expires_at > now()),
    (SELECT count(*) FROM publication_consents
      WHERE expires_on IS NULL OR expires_on >= (now() AT TIME ZONE 'UTC')::date)
"""
_NAMED = """
    (SELECT count(*) FROM campaigns WHERE id = ANY (
      string_to_array(current_setting('weighhouse.campaign_ids', true), ',')::uuid[]))
"""
_RULED = f"{', '.join(map(_ROWS.format, _RULES))}, {_HELD}"
_TERMS = text(f"SELECT md5(concat_ws('/', {_RULED}, {_NAMED}))")
_OPEN = (
    "(SELECT string_agg(concat_ws(',', id, visibility, revoked_at, expires_at, expires_at > now()),"
    " ';' ORDER BY id) FROM shares WHERE {})"
)
_THERE = "(SELECT count(*) FROM campaigns WHERE id = ANY (:campaigns))"
_STANDING, _FRONT_PAGE = (
    text(f"SELECT md5(concat_ws('/', {', '.join((_RULED, *of))}))")
    for of in (
        (_OPEN.format("id = :share"), _THERE),
        (_OPEN.format("visibility = 'public'"),),
    )
)

_SHOWN = (
    "campaigns", "campaign_commits", "campaign_looks", "cells", "challenges", "change_points",
    "experiment_revisions", "experiments", "findings", "noise_measurements",
    "published_source_versions", "report_revisions", "reports", "run_records", "run_summaries",
    "runs", "schedule_occurrences", "series", "series_points", "vendor_replies",
)  # fmt: skip
"""What a shared page is made of beside its terms; whoever reads it sees the shared rows alone."""
_COUNTED = "(SELECT concat(count(*), ':', sum(hashtext(xmin::text || ctid::text))) FROM {})"
_ALERTS = "(SELECT concat(count(*), ':', sum(hashtext(id::text || state))) FROM alerts)"
_STATE = text(f"SELECT md5(concat_ws('/', {', '.join(map(_COUNTED.format, _SHOWN))}, {_ALERTS}))")


@dataclass(frozen=True)
class ShareRepository:
    """The feature's queries."""

    session: Session

    def share(self, share_id: UUID) -> Share | None:
        """One of them."""
        return self.session.get(Share, share_id)

    def locked(self, share_id: UUID) -> Share | None:
        """One of them, locked."""
        return self.session.get(Share, share_id, with_for_update=True)

    def listed(self, project_ids: Sequence[UUID]) -> Select[Share]:
        """Those of projects."""
        return select(Share).where(Share.project_id.in_(project_ids))

    def public(
        self, now: datetime.datetime, limit: int, share_ids: Collection[UUID] | None = None
    ) -> Sequence[Share]:
        """What is public and has not ended, of all organizations, newest first.

        :param share_ids: these alone; None: all.
        """
        query = select(Share).where(
            Share.visibility == "public",
            Share.revoked_at.is_(None),
            or_(Share.expires_at.is_(None), Share.expires_at > now),
        )
        if share_ids is not None:
            query = query.where(among(Share.id, share_ids))
        return self.session.scalars(query.order_by(Share.id.desc()).limit(limit)).all()

    def made_by(
        self, maker: str, project_id: UUID, campaign_id: UUID | None, series_id: UUID | None
    ) -> Share | None:
        """The latest link to a campaign or series that somebody made."""
        query = select(Share).where(
            Share.made_by == maker,
            Share.project_id == project_id,
            Share.visibility == "link",
            Share.campaign_id == campaign_id if campaign_id else Share.series_id == series_id,
        )
        return self.session.scalars(query.order_by(Share.id.desc()).limit(1)).first()

    def document(self, share_id: UUID, name: str) -> bytes | None:
        """What was kept of something shared, compressed."""
        query = select(ShareDocument.content).where(
            ShareDocument.share_id == share_id, ShareDocument.name == name
        )
        return self.session.scalar(query)

    def note_seen(self, share_id: UUID, now: datetime.datetime) -> None:
        """Count an opening."""
        self.session.execute(
            update(Share)
            .where(Share.id == share_id)
            .values(seen_count=Share.seen_count + 1, last_seen_at=now)
            .execution_options(synchronize_session=False)
        )

    def organization_of(self, project_id: UUID) -> Organization:
        """Whose a project is."""
        query = select(Organization).join(Project).where(Project.id == project_id)
        return self.session.scalars(query).one()

    def verdict_of(self, campaign_id: UUID) -> str | None:
        """What a campaign as a whole was judged to be."""
        query = select(Campaign.verdict).where(Campaign.id == campaign_id)
        return self.session.scalar(query)

    def number_of(self, campaign_id: UUID) -> int:
        """What a campaign's people call it by."""
        return self.session.scalars(select(Campaign.number).where(Campaign.id == campaign_id)).one()

    def terms(self) -> str:
        """What the publication policy rests on, as a digest: consents, overrides and manifests that
        the transaction sees, as they stand and as far as they hold today, and which of the shared
        campaigns there are. Equal as long as nobody changed any of them; one short query.
        """
        return str(self.session.scalar(_TERMS))

    def named_by(self, share_id: UUID) -> tuple[UUID, ...]:
        """The campaigns that a share names; none where there is no such share."""
        share = self.share(share_id)
        return () if share is None else tuple(sorted(campaigns_named(share)))

    def standing(self, share_id: UUID, campaigns: Sequence[UUID]) -> str:
        """What decides whether something shared may be shown, as a digest: the share, which of its
        campaigns there are, and the terms of all tenants; in a transaction that is not confined.
        Equal as long as nobody changed any of them; one short query.
        """
        asked = {"share": share_id, "campaigns": list(campaigns)}
        return str(self.session.scalar(_STANDING, asked))

    def standing_of_front_page(self) -> str:
        """The same of all that is public."""
        return str(self.session.scalar(_FRONT_PAGE))

    def state(self) -> str:
        """What shared pages are made of, as a digest of the rows that the transaction sees. Equal
        as long as nobody wrote any of them; reads each of them, and costs some ms.
        """
        return str(self.session.scalar(_STATE))

    def seen_by_others(self, project_id: UUID, now: datetime.datetime) -> dict[UUID, str]:
        """Campaigns of a project that are shared, and why in words."""
        query = select(Share).where(
            Share.project_id == project_id,
            Share.revoked_at.is_(None),
            or_(Share.expires_at.is_(None), Share.expires_at > now),
        )
        found: dict[UUID, str] = {}
        for share in self.session.scalars(query):
            for campaign_id in campaigns_named(share):
                found.setdefault(campaign_id, f"it is shared as “{share.title}”")
        return found


def sources_named(share: Share) -> set[UUID]:
    """The published sources that a share of a comparison shows."""
    asked = share.question or {}
    return {UUID(str(one).partition("~")[0]) for one in asked.get("published", ())}


def campaigns_named(share: Share) -> set[UUID]:
    """The campaigns that a share of a campaign or comparison shows."""
    if share.campaign_id is not None:
        return {share.campaign_id}
    asked = share.question or {}
    named = [str(side).partition("~")[0] for side in asked.get("side", ())]
    named += [str(asked[name]) for name in ("campaign", "base") if asked.get(name)]
    return {UUID(one) for one in named}
