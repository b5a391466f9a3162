"""Table directories."""

import datetime
from uuid import UUID

from sqlalchemy import Text
from sqlalchemy.orm import Mapped, mapped_column

from weighhouse_backend.kit.db import Base, reference
from weighhouse_backend.kit.ids import new_id


class Directory(Base):
    """An organization's directory may take its people out, with a token."""

    __tablename__ = "directories"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    organization_id: Mapped[UUID] = reference("organizations", unique=True)
    token_hash: Mapped[str] = mapped_column(Text, unique=True)
    prefix: Mapped[str] = mapped_column(Text)
    """The token's readable beginning."""
    created_by: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime.datetime]
    """When the token was made that holds now."""
    last_used_at: Mapped[datetime.datetime | None]
    last_used_from: Mapped[str | None] = mapped_column(Text)
    """The address it was last used from."""
