"""Identifiers: UUIDv7, so that keys sort by the time they were made."""

from uuid import UUID

import uuid_utils


def new_id() -> UUID:
    """A new UUIDv7 (RFC 9562), as Python's own UUID."""
    return UUID(bytes=uuid_utils.uuid7().bytes)
