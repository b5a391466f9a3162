"""What the API says of providers that people sign in with."""

import datetime
from typing import Annotated, Any
from uuid import UUID

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StrictBool, model_validator
from weighhouse_protocol.text import Named

from weighhouse_backend.identity.roles import MemberRole
from weighhouse_backend.identity.schemas import UserRead
from weighhouse_backend.kit.schemas import Body

LOCAL_PATH = r"^/(?:[^/\\\x00-\x1f][^\\\x00-\x1f]*)?$"
"""A path of this interface: nothing that a browser takes for another host."""


class GroupMapping(BaseModel):
    """A group's role, in the organization or in one project."""

    model_config = ConfigDict(extra="forbid", from_attributes=True)

    group: Annotated[str, Named(200)] = Field(examples=["storage-leads"])
    role: MemberRole
    project_id: UUID | None = None
    """The project that it is for; null: the whole organization."""

    @model_validator(mode="after")
    def _no_guest_of_a_project(self) -> "GroupMapping":
        if self.project_id is not None and self.role is MemberRole.GUEST:
            raise ValueError("a guest has no role in a project")
        return self


def _plain(text: str) -> str:
    if text.split() != [text]:
        raise ValueError("has blanks in it")
    return text


class ProviderSave(Body):
    """The provider of an organization, as it shall be."""

    name: Annotated[str, Named(80)] = Field(examples=["Acme SSO"])
    """As it stands on the button."""
    issuer: Annotated[
        str, Field(min_length=8, max_length=500, examples=["https://id.example.com"]),
        AfterValidator(_plain),
    ]  # fmt: skip
    client_id: Annotated[str, Named(500)]
    client_secret: str | None = Field(default=None, min_length=1, max_length=2000)
    """Null: the present one is kept, while the issuer is the same."""
    groups_claim: str = Field(default="groups", pattern=r"^[A-Za-z0-9_.:/-]{1,100}$")
    """Where the provider names a person's groups; asked for as a scope, too, where it has one."""
    mappings: list[GroupMapping] = Field(default_factory=list, max_length=200)
    only_way: StrictBool = False
    """Passwords open nothing of the organization any more, but to its owners."""
    listed: StrictBool = False
    """Strangers see it on the page to sign in; else it takes the organization's slug."""


class ProviderRead(BaseModel):
    """The provider of an organization, without what makes it work."""

    model_config = ConfigDict(from_attributes=True)

    name: str
    issuer: str
    client_id: str
    has_secret: bool
    groups_claim: str
    mappings: list[GroupMapping]
    only_way: bool
    listed: bool
    organization: str
    """The organization's slug, which people type in to sign in."""
    redirect_uri: str
    """To be registered at the provider."""
    signed_out_uri: str
    """To be registered there, too: where people are sent who signed out."""
    back_channel_uri: str
    """And where the provider itself says that somebody signed out there."""
    updated_at: datetime.datetime


class ProviderOffer(BaseModel):
    """A provider that one may sign in with."""

    organization: str
    """Its slug."""
    name: str


class SignInStart(Body):
    """Somebody wants to sign in with a provider."""

    organization: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$", max_length=63)
    next: str = Field(default="/", max_length=2000, pattern=LOCAL_PATH)
    """Where they want to go: a path of this interface."""


class SignInSent(BaseModel):
    """Where a browser has to go."""

    url: str


class SignInAnswer(Body):
    """What the provider sent a browser back with."""

    state: str = Field(min_length=1, max_length=200)
    code: str | None = Field(default=None, min_length=1, max_length=4000)
    error: str | None = Field(default=None, max_length=200)
    iss: str | None = Field(default=None, max_length=500)


class SignInDone(BaseModel):
    """Somebody is signed in."""

    user: UserRead
    next: str


class SignedOut(BaseModel):
    """A login that has ended."""

    provider_url: str | None
    """Where one signs out of the provider, too; null: one was not signed in by one."""


def stored(mappings: list[GroupMapping]) -> list[Any]:
    """Mappings as the database keeps them."""
    return [one.model_dump(mode="json") for one in mappings]
