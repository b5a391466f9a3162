"""Table: price_sheets."""

import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from weighhouse_backend.kit.db import Base, reference


class PriceSheet(Base):
    """An organization's prices, all of them; what was there before stands in the audit log."""

    __tablename__ = "price_sheets"

    organization_id: Mapped[UUID] = reference("organizations", primary_key=True)
    body: Mapped[dict[str, Any]] = mapped_column(JSONB, default=dict)
    """A `schemas.PriceSheetWrite`."""
    version: Mapped[int] = mapped_column(default=0)
    """Counts savings, so that two people do not write over each other. 0: none yet."""
    updated_by: Mapped[str | None] = mapped_column(Text)
    updated_at: Mapped[datetime.datetime | None]
