"""All queries of notices."""

import datetime
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import Select, case, delete, exists, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session, aliased

from weighhouse_backend.kit.ids import new_id
from weighhouse_backend.notices.kinds import DeliveryState
from weighhouse_backend.notices.models import (
    Notice,
    NoticeAttempt,
    NoticeChannel,
    NoticeDelivery,
    NoticeEntry,
    NoticePreference,
)

MOST_OF_CHANNEL = 5
"""Deliveries of one channel that are under way together, so that a slow one keeps nobody back."""
MOST_OF_STRUGGLING = 1
"""The same of a channel that did not take one of those that wait: each costs the worker a wait."""
MOST_OF_PERSON = 100
"""Notices in one letter."""


@dataclass(frozen=True)
class NoticeRepository:
    """Reads and writes notices, channels and deliveries."""

    session: Session

    def add(self, row: object) -> None:
        """Store a new row."""
        self.session.add(row)
        self.session.flush()

    def hold(self, of: UUID) -> None:
        """Have others who change the same wait for the end of this transaction.

        :param of: the project or person that it is of.
        """
        key = func.hashtextextended(f"notices:{of}", 0)
        self.session.execute(select(func.pg_advisory_xact_lock(key)))

    def unspread(self, limit: int) -> Sequence[Notice]:
        """Notices of which it was not worked out yet who gets them, oldest first, locked."""
        return self.session.scalars(
            select(Notice)
            .where(Notice.spread_at.is_(None))
            .order_by(Notice.id)
            .limit(limit)
            .with_for_update(skip_locked=True)
        ).all()

    def preferences(self, user_ids: Collection[UUID]) -> dict[UUID, NoticePreference]:
        """What people chose; who chose nothing is left out."""
        found = self.session.scalars(
            select(NoticePreference).where(NoticePreference.user_id.in_(list(user_ids)))
        )
        return {row.user_id: row for row in found}

    def ring(self, notice: Notice, user_ids: Collection[UUID]) -> None:
        """Put a notice under people's bells. Repeatable."""
        rows = [
            {
                "id": new_id(),
                "project_id": notice.project_id,
                "notice_id": notice.id,
                "user_id": one,
            }
            for one in user_ids
        ]
        if rows:
            self.session.execute(insert(NoticeEntry).values(rows).on_conflict_do_nothing())

    def deliver(
        self,
        notice: Notice,
        now: datetime.datetime,
        next_at: datetime.datetime,
        *,
        channel_id: UUID | None = None,
        user_id: UUID | None = None,
    ) -> None:
        """Have a notice delivered to a channel or a person. Repeatable."""
        self.session.execute(
            insert(NoticeDelivery)
            .values(
                id=new_id(), project_id=notice.project_id, notice_id=notice.id,
                channel_id=channel_id, user_id=user_id, state=str(DeliveryState.PENDING),
                attempts_count=0, next_at=next_at, created_at=now,
            )
            .on_conflict_do_nothing()
        )  # fmt: skip

    def channels(self, project_id: UUID) -> Sequence[NoticeChannel]:
        """Channels of a project, by name."""
        return self.session.scalars(
            select(NoticeChannel)
            .where(NoticeChannel.project_id == project_id)
            .order_by(NoticeChannel.name)
        ).all()

    def channel(self, channel_id: UUID) -> NoticeChannel | None:
        """A channel, without what is sealed."""
        return self.session.get(NoticeChannel, channel_id)

    def due(self, now: datetime.datetime, limit: int) -> Sequence[NoticeDelivery]:
        """Deliveries whose time has come, locked: of a channel only so many as may be under way."""
        other = aliased(NoticeDelivery)
        under_way = exists().where(
            other.channel_id == NoticeDelivery.channel_id,
            other.state == DeliveryState.PENDING,
            other.parcel_id.is_not(None),
            other.next_at > now,
        )
        refused = aliased(NoticeDelivery)
        struggles = exists().where(
            refused.channel_id == NoticeDelivery.channel_id,
            refused.state == DeliveryState.PENDING,
            refused.attempts_count > 0,
        )
        most = case((struggles, MOST_OF_STRUGGLING), else_=MOST_OF_CHANNEL)
        place = func.row_number().over(
            partition_by=[NoticeDelivery.channel_id, NoticeDelivery.user_id],
            order_by=NoticeDelivery.next_at,
        )
        ranked = (
            select(
                NoticeDelivery.id,
                NoticeDelivery.channel_id,
                place.label("place"),
                most.label("most"),
            )
            .where(
                NoticeDelivery.state == DeliveryState.PENDING,
                NoticeDelivery.next_at <= now,
                ~under_way,
            )
            .subquery()
        )
        chosen = select(ranked.c.id).where(
            (ranked.c.channel_id.is_(None) & (ranked.c.place <= MOST_OF_PERSON))
            | (ranked.c.channel_id.is_not(None) & (ranked.c.place <= ranked.c.most))
        )
        return self.session.scalars(
            select(NoticeDelivery)
            .where(
                NoticeDelivery.id.in_(chosen),
                # As it is when it is locked: another look may have taken it meanwhile.
                NoticeDelivery.state == DeliveryState.PENDING,
                NoticeDelivery.next_at <= now,
            )
            .order_by(NoticeDelivery.next_at, NoticeDelivery.id)
            .limit(limit)
            .with_for_update(skip_locked=True)
        ).all()

    def parcel(self, parcel_id: UUID) -> Sequence[NoticeDelivery]:
        """What goes out together, as far as it is still to go out, oldest first, locked."""
        return self.session.scalars(
            select(NoticeDelivery)
            .where(
                NoticeDelivery.parcel_id == parcel_id,
                NoticeDelivery.state == DeliveryState.PENDING,
            )
            .order_by(NoticeDelivery.id)
            .with_for_update()
            .execution_options(populate_existing=True)
        ).all()

    def attempts_of_parcel(self, parcel_id: UUID) -> Sequence[NoticeAttempt]:
        """Attempts that were begun with a parcel."""
        return self.session.scalars(
            select(NoticeAttempt).where(NoticeAttempt.parcel_id == parcel_id)
        ).all()

    def notices(self, notice_ids: Collection[UUID]) -> dict[UUID, Notice]:
        """Notices by id."""
        found = self.session.scalars(select(Notice).where(Notice.id.in_(list(notice_ids))))
        return {row.id: row for row in found}

    def deliveries_of(self, channel_id: UUID) -> Select[NoticeDelivery]:
        """Deliveries of a channel."""
        return select(NoticeDelivery).where(NoticeDelivery.channel_id == channel_id)

    def attempts(self, delivery_ids: Collection[UUID]) -> Sequence[NoticeAttempt]:
        """Attempts of deliveries, oldest first."""
        return self.session.scalars(
            select(NoticeAttempt)
            .where(NoticeAttempt.delivery_id.in_(list(delivery_ids)))
            .order_by(NoticeAttempt.id)
        ).all()

    def pending_test(self, channel_id: UUID) -> NoticeDelivery | None:
        """A channel's test that is under way."""
        return self.session.scalar(
            select(NoticeDelivery).where(
                NoticeDelivery.channel_id == channel_id,
                NoticeDelivery.notice_id.is_(None),
                NoticeDelivery.state == DeliveryState.PENDING,
            )
        )

    def entries(
        self, user_id: UUID, project_ids: Collection[UUID], *, unread: bool
    ) -> Select[NoticeEntry]:
        """What is under a person's bell, of projects."""
        statement = select(NoticeEntry).where(
            NoticeEntry.user_id == user_id, NoticeEntry.project_id.in_(list(project_ids))
        )
        return statement.where(NoticeEntry.read_at.is_(None)) if unread else statement

    def unread_count(self, user_id: UUID, project_ids: Collection[UUID]) -> int:
        """How much of it was not read."""
        found = self.entries(user_id, project_ids, unread=True).subquery()
        return self.session.scalar(select(func.count()).select_from(found)) or 0

    def read(
        self,
        user_id: UUID,
        project_ids: Collection[UUID],
        entry_ids: Collection[UUID] | None,
        now: datetime.datetime,
    ) -> None:
        """Mark as read; None: all."""
        statement = update(NoticeEntry).where(
            NoticeEntry.user_id == user_id,
            NoticeEntry.project_id.in_(list(project_ids)),
            NoticeEntry.read_at.is_(None),
        )
        if entry_ids is not None:
            statement = statement.where(NoticeEntry.id.in_(list(entry_ids)))
        self.session.execute(statement.values(read_at=now))

    def personal(self) -> set[tuple[UUID, UUID]]:
        """Person and project of everything that is one person's: under bells, and on its way."""
        rung = select(NoticeEntry.user_id, NoticeEntry.project_id).distinct()
        on_its_way = (
            select(NoticeDelivery.user_id, NoticeDelivery.project_id)
            .where(
                NoticeDelivery.user_id.is_not(None), NoticeDelivery.state == DeliveryState.PENDING
            )
            .distinct()
        )
        return {(row[0], row[1]) for row in self.session.execute(rung.union(on_its_way))}

    def forget_person(self, user_id: UUID, project_id: UUID, now: datetime.datetime) -> None:
        """End what is a person's of a project that they do not see any more."""
        self.session.execute(
            delete(NoticeEntry).where(
                NoticeEntry.user_id == user_id, NoticeEntry.project_id == project_id
            )
        )
        self.session.execute(
            update(NoticeDelivery)
            .where(
                NoticeDelivery.user_id == user_id,
                NoticeDelivery.project_id == project_id,
                NoticeDelivery.state == DeliveryState.PENDING,
            )
            .values(state=str(DeliveryState.DROPPED), ended_at=now)
        )

    def forget_before(self, then: datetime.datetime) -> None:
        """Delete notices that are old, with all that became of them."""
        self.session.execute(delete(Notice).where(Notice.at < then))
        self.session.execute(
            delete(NoticeDelivery).where(
                NoticeDelivery.notice_id.is_(None), NoticeDelivery.created_at < then
            )
        )
