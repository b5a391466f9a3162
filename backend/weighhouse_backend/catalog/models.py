"""Table: plugins, the manifests by id and version."""

import datetime
from typing import Any

from sqlalchemy import Text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from weighhouse_backend.kit.db import Base


class Plugin(Base):
    """A manifest that an agent brought; the one seen last speaks for the system.

    Manifests are shared by all tenants: they say what software can do, nothing of anybody's.
    """

    __tablename__ = "plugins"

    id: Mapped[str] = mapped_column(Text, primary_key=True)
    version: Mapped[str] = mapped_column(Text, primary_key=True)
    manifest: Mapped[dict[str, Any]] = mapped_column(JSONB)
    content_hash: Mapped[str] = mapped_column(Text)
    first_seen_at: Mapped[datetime.datetime]
    last_seen_at: Mapped[datetime.datetime] = mapped_column(index=True)
