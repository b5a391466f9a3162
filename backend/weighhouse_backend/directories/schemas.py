"""What the API says of an organization's directory."""

import datetime

from pydantic import BaseModel, ConfigDict


class DirectoryRead(BaseModel):
    """An organization's directory, and whether it came by."""

    model_config = ConfigDict(from_attributes=True)

    url: str
    """The address that the directory is given: SCIM's root."""
    prefix: str
    """How its token begins."""
    created_by: str
    created_at: datetime.datetime
    """When the token was made that holds now."""
    last_used_at: datetime.datetime | None
    last_used_from: str | None
    """The address it last came from."""


class DirectoryMade(DirectoryRead):
    """A directory whose token was made just now."""

    token: str
    """Shown once."""


class ScimError(BaseModel):
    """How SCIM refuses. Source: RFC 7644, 3.12."""

    schemas: list[str]
    status: str
    scimType: str | None = None  # noqa: N815 - the standard's name
    detail: str | None = None
