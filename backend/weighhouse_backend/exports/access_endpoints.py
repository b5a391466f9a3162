"""Who may see what and who is told, as files: lists of settings, as their pages show them."""

from functools import partial
from uuid import UUID

from fastapi import APIRouter, Response
from fastapi.responses import StreamingResponse
from weighhouse_protocol import pages

from weighhouse_backend.exports import access_tables
from weighhouse_backend.exports.abouts import Leave, narrowed
from weighhouse_backend.exports.file_answers import FILES, FormQuery, answered
from weighhouse_backend.exports.model_tables import table_of
from weighhouse_backend.exports.snapshots import PeopleSnapshotDep, Snapshot, SnapshotDep
from weighhouse_backend.exports.tables import Export, Table
from weighhouse_backend.identity.access import CallerDep, ManagerDep
from weighhouse_backend.identity.schemas import ApiTokenRead, InvitationRead
from weighhouse_backend.identity.tokens import TokenService
from weighhouse_backend.kit.bodies import BoundedRoute
from weighhouse_backend.kit.pages import Page, PageQuery
from weighhouse_backend.membership.domain_schemas import DomainRead
from weighhouse_backend.membership.domains import DomainService, shown
from weighhouse_backend.membership.invitations import InvitationService
from weighhouse_backend.membership.member_list import MemberList
from weighhouse_backend.notices.channels import ChannelService
from weighhouse_backend.notices.schemas import ChannelRead
from weighhouse_backend.sharing.service import ShareService
from weighhouse_backend.sign_in.pipeline_schemas import TrustRead
from weighhouse_backend.sign_in.pipelines import TrustService

router = APIRouter(route_class=BoundedRoute, prefix="/api/v1/exports", tags=["exports"])


@router.get("/shares", response_class=StreamingResponse, responses=FILES)
def exports_list_shares(
    project_id: UUID, caller: CallerDep, snapshot: SnapshotDep, form: FormQuery = "csv"
) -> Response:
    """All that is and was shared of a project, by whom, seen how often. No link is in it."""
    caller.require(project_id)
    table = access_tables.shares(partial(snapshot.get(ShareService).listed, caller, project_id))
    return _answered("Shared", "shared", table, project_id, snapshot, form)


@router.get("/members", response_class=StreamingResponse, responses=FILES)
def exports_list_members(
    project_id: UUID, caller: ManagerDep, snapshot: PeopleSnapshotDep, form: FormQuery = "csv"
) -> Response:
    """People of a project's organization, with their roles."""
    table = access_tables.members(snapshot.get(MemberList).of(caller, project_id))
    return _answered("Members", "members", table, project_id, snapshot, form)


@router.get("/invitations", response_class=StreamingResponse, responses=FILES)
def exports_list_invitations(
    project_id: UUID, caller: ManagerDep, snapshot: PeopleSnapshotDep, form: FormQuery = "csv"
) -> Response:
    """Invitations that wait to be accepted; takes an owner. No link is in it."""
    found = snapshot.get(InvitationService).pending(caller, project_id)
    table = access_tables.invitations([InvitationRead.model_validate(one) for one in found])
    return _answered("Invitations", "members", table, project_id, snapshot, form)


@router.get("/api-tokens", response_class=StreamingResponse, responses=FILES)
def exports_list_tokens(
    project_id: UUID, caller: ManagerDep, snapshot: PeopleSnapshotDep, form: FormQuery = "csv"
) -> Response:
    """The API tokens of a project: to a maintainer all, to others their own; none as it is sent."""
    tokens = snapshot.get(TokenService)
    tokens.list(caller, project_id, PageQuery(limit=1))  # who may not is told before it is a file

    def shown(query: PageQuery) -> Page[ApiTokenRead]:
        page = tokens.list(caller, project_id, query)
        return page.of(ApiTokenRead.model_validate(row) for row in page.items)

    table = access_tables.tokens(shown)
    return _answered("API tokens", "tokens", table, project_id, snapshot, form)


@router.get("/channels", response_class=StreamingResponse, responses=FILES)
def exports_list_channels(
    project_id: UUID, caller: CallerDep, snapshot: SnapshotDep, form: FormQuery = "csv"
) -> Response:
    """Where a project is told of things; takes a maintainer. No secret is in it."""
    table = table_of(
        "channels", ChannelRead, snapshot.get(ChannelService).listed(caller, project_id)
    )
    return _answered("Channels", "notifications", table, project_id, snapshot, form)


@router.get("/pipeline-trusts", response_class=StreamingResponse, responses=FILES)
def exports_list_trusts(
    project_id: UUID, caller: ManagerDep, snapshot: PeopleSnapshotDep, form: FormQuery = "csv"
) -> Response:
    """The pipelines that a project trusts; takes a maintainer."""
    rows = snapshot.get(TrustService).list(caller, project_id)
    table = table_of("pipeline-trusts", TrustRead, [TrustRead.model_validate(row) for row in rows])
    return _answered("Trusted pipelines", "tokens", table, project_id, snapshot, form)


@router.get("/joining-domains", response_class=StreamingResponse, responses=FILES)
def exports_list_domains(
    project_id: UUID, caller: ManagerDep, snapshot: PeopleSnapshotDep, form: FormQuery = "csv"
) -> Response:
    """Domains whose people may join a project's organization; takes an owner of it."""
    found = snapshot.get(DomainService).read(caller, project_id)
    table = table_of("joining-domains", DomainRead, [shown(one) for one in found])
    return _answered("Domains", "members", table, project_id, snapshot, form)


def _answered(
    title: str,
    tab: pages.SettingsTab,
    table: Table,
    project_id: UUID,
    snapshot: Snapshot,
    form: FormQuery,
) -> Response:
    about = Leave(snapshot).about(
        title, pages.settings(tab), [], [], notes=narrowed(project_id=project_id)
    )
    return answered(Export("weighhouse", about, [table]), form, snapshot)
