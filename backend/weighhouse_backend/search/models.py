"""Tables: search_entries, search_words. Only triggers of the database write them."""

import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Index, Text, desc, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from weighhouse_backend.kit.db import Base, reference


class SearchEntry(Base):
    """One thing that is found, as it is called now."""

    __tablename__ = "search_entries"

    kind: Mapped[str] = mapped_column(Text, primary_key=True)
    subject_id: Mapped[UUID] = mapped_column(primary_key=True)
    """Its own id, which grows with time; of a commit that of its campaign."""
    project_id: Mapped[UUID] = reference("projects", index=True)
    title: Mapped[str] = mapped_column(Text)
    text: Mapped[str] = mapped_column(Text)
    """What it is found by besides."""
    leads: Mapped[dict[str, Any]] = mapped_column(JSONB(none_as_null=True))
    """What its address is made of besides: `slug`, `experiment_id`, `metric`, `run_id`."""
    at: Mapped[datetime.datetime | None]
    """When it was made or changed; none: it goes on."""


class SearchWord(Base):
    """A word of an entry, in small letters; no key, as what writes both writes them together."""

    __tablename__ = "search_words"
    __table_args__ = (
        Index("ix_search_words_listed", "project_id", "kind", "word", desc("subject_id")),
        Index(
            "ix_search_words_shared",
            "word",
            desc("subject_id"),
            postgresql_where=text("kind = 'share'"),
        ),
    )

    kind: Mapped[str] = mapped_column(Text, primary_key=True)
    subject_id: Mapped[UUID] = mapped_column(primary_key=True)
    word: Mapped[str] = mapped_column(Text(collation="C"), primary_key=True)
    project_id: Mapped[UUID]
