"""Members of an organization as SCIM sees them, by the library scim2-server.

What a directory may change is `active`: whoever is not active any more has left. Names and
addresses are people's own, who may be in other organizations, too: what a directory says of them is
heard and not kept. Nobody comes in this way.
"""

import datetime
from dataclasses import dataclass
from typing import Annotated, Any
from uuid import UUID

from scim2_models import (
    URN,
    AuthenticationScheme,
    Bulk,
    ChangePassword,
    ComplexAttribute,
    ConflictException,
    ETag,
    Filter,
    ForbiddenException,
    InvalidFilterException,
    Meta,
    NotFoundException,
    Patch,
    Required,
    Resource,
    ResourceType,
    ResponseParameters,
    ScimPolicy,
    ScimProvider,
    SearchRequest,
    ServiceProviderConfig,
    Sort,
    Uniqueness,
)
from scim2_models.path import CompareOperator, Comparison
from scim2_server.service import ScimService
from scim2_server.storage import ScimStorage, SearchPage

from weighhouse_backend.identity.errors import LastOwner
from weighhouse_backend.identity.models import User
from weighhouse_backend.membership.service import MembershipService

MOST_FOUND = 200
LONGEST_FILTER = 1000
"""Characters; everybody of the organization is held against it."""
CORE = "urn:ietf:params:scim:schemas:core:2.0:User"
USER_NAME = frozenset({"username", f"{CORE}:username".lower()})
NO_WAY_IN = (
    "people come in by an invitation, or by a group that has a role when they sign in; "
    "a directory takes them out"
)


class AccountName(ComplexAttribute):
    """What somebody is called."""

    formatted: str | None = None


class AccountEmail(ComplexAttribute):
    """Where somebody is reached."""

    value: str | None = None
    type: str | None = None
    primary: bool | None = None


class Account(Resource[Any]):
    """A member of the organization."""

    __schema__ = URN(CORE)

    user_name: Annotated[str | None, Uniqueness.server, Required.true] = None
    """The address that they sign in with."""
    display_name: str | None = None
    name: AccountName | None = None
    emails: list[AccountEmail] | None = None
    active: bool | None = None
    """Made false: they leave the organization."""


def scim_service() -> ScimService:
    """The protocol: one kind of resource, which is found, read, changed and removed."""
    config = ServiceProviderConfig(
        patch=Patch(supported=True),
        bulk=Bulk(supported=False, max_operations=0, max_payload_size=0),
        filter=Filter(supported=True, max_results=MOST_FOUND),
        change_password=ChangePassword(supported=False),
        sort=Sort(supported=False),
        etag=ETag(supported=False),
        authentication_schemes=[
            AuthenticationScheme(
                type=AuthenticationScheme.Type.oauthbearertoken,
                name="Bearer token",
                description="The token that an owner of the organization made for its directory.",
                primary=True,
            )
        ],
    )
    # Directories send much more than is kept here; some write an address's kind into a filter.
    policy = ScimPolicy(
        unknown=ScimPolicy.Unknown.ignore,
        remove_value_as_filter=ScimPolicy.RemoveValue.apply,
        unmatched_path_filter=ScimPolicy.UnmatchedPathFilter.create,
    )
    kind = ResourceType(
        id="User", name="User", endpoint="/Users", schema_=CORE,
        description="Members of the organization",
    )  # fmt: skip
    return ScimService(
        ScimProvider(models=[Account], resource_types=[kind], config=config, policy=policy)
    )


@dataclass(frozen=True)
class Accounts(ScimStorage):
    """Members of one organization; the transaction is confined to it."""

    people: MembershipService
    organization_id: UUID
    directory: str
    """Stands in the audit log as who took somebody out."""

    def get(
        self,
        resource_type: ResourceType,
        resource_id: str,
        *,
        response_parameters: ResponseParameters[Any] | None = None,
    ) -> Account:
        """:raises NotFoundException: when nobody of the organization has this id."""
        del resource_type, response_parameters
        found = self.people.people_of(self.organization_id, user_id=_id(resource_id))
        if not found:
            raise NotFoundException(detail=f"nobody of the organization is {resource_id}")
        return account(*found[0])

    def search(
        self,
        resource_types: list[ResourceType],
        search_request: SearchRequest[Any],
        *,
        position: Any = None,
    ) -> SearchPage:
        """By id; a filter that wants one `userName` reads that one row.

        :raises InvalidFilterException: when a filter is long.
        """
        del resource_types, position
        asked, wanted = search_request.filter, _one_address(search_request)
        if asked and len(str(asked)) > LONGEST_FILTER:
            raise InvalidFilterException(detail=f"a filter has at most {LONGEST_FILTER} characters")
        rows = self.people.people_of(self.organization_id, email=wanted)
        every = [account(*row) for row in rows]
        found: list[Resource[Any]] = [one for one in every if not asked or asked.match(one)]
        begin, count = search_request.start_index_0 or 0, search_request.count
        end = None if count is None else begin + count
        return SearchPage(total=len(found), resources=found[begin:end])

    def create(self, resource_type: ResourceType, resource: Resource[Any]) -> Account:
        """:raises ForbiddenException: always; nobody comes in this way.
        :raises ConflictException: when they are in.
        """
        del resource_type
        name = getattr(resource, "user_name", None)
        if name and self.people.people_of(self.organization_id, email=name):
            raise ConflictException(detail=f"{name} is a member already")
        raise ForbiddenException(detail=NO_WAY_IN)

    def update(
        self,
        resource_type: ResourceType,
        resource: Resource[Any],
        *,
        expected_version: str | None = None,
    ) -> Account:
        """Take somebody out who is not active any more; nothing else is kept.

        :raises ForbiddenException: when the organization would have no owner.
        """
        del expected_version
        found = self.get(resource_type, str(resource.id))
        if getattr(resource, "active", None) is False:
            self._dismiss(str(resource.id))
            found.active = False
        return found

    def delete(
        self, resource_type: ResourceType, resource_id: str, *, expected_version: str | None = None
    ) -> None:
        """Take somebody out. Raises as `get` and `update` do."""
        del expected_version
        self.get(resource_type, resource_id)
        self._dismiss(resource_id)

    def _dismiss(self, resource_id: str) -> None:
        try:
            self.people.dismiss(self.organization_id, _id(resource_id), by=self.directory)
        except LastOwner as error:
            raise ForbiddenException(
                detail="they are the last owner of the organization: make somebody else one first"
            ) from error


def account(user: User, joined_at: datetime.datetime) -> Account:
    """Somebody as SCIM sees them."""
    return Account(
        id=str(user.id), user_name=user.email, display_name=user.name,
        name=AccountName(formatted=user.name), active=True,
        emails=[AccountEmail(value=user.email, type="work", primary=True)],
        meta=Meta(resource_type="User", created=joined_at, last_modified=joined_at),
    )  # fmt: skip


def _id(text: str) -> UUID:
    """:raises NotFoundException: when it is none of ours."""
    try:
        return UUID(text)
    except ValueError as error:
        raise NotFoundException(detail=f"nobody of the organization is {text}") from error


def _one_address(request: SearchRequest[Any]) -> str | None:
    """The address that a search is for, if it wants that of one alone."""
    node = None if request.filter is None else request.filter.ast
    if (
        isinstance(node, Comparison)
        and node.op is CompareOperator.eq
        and str(node.attr_path).lower() in USER_NAME
        and isinstance(node.value, str)
    ):
        return node.value
    return None
