"""One's own account: the invitation one came by, passwords, and where one is signed in."""

from uuid import UUID

from fastapi import APIRouter, Request

from weighhouse_backend.identity.access import PersonDep
from weighhouse_backend.identity.cookie_names import session_sent
from weighhouse_backend.identity.links import LinkDep
from weighhouse_backend.identity.roles import MemberRole
from weighhouse_backend.identity.schemas import (
    InvitationAccept,
    InvitationOpened,
    LoginRead,
    PasswordChange,
    PasswordResetAsk,
    PasswordResetOpened,
    PasswordResetSet,
    UserRead,
)
from weighhouse_backend.identity.secrets import token_hash
from weighhouse_backend.kit.bodies import BoundedRoute
from weighhouse_backend.kit.pages import Page
from weighhouse_backend.kit.schemas import read_of
from weighhouse_backend.membership.dependencies import InvitationServiceDep
from weighhouse_backend.sign_in.dependencies import BrowserServiceDep, PasswordServiceDep
from weighhouse_backend.sign_in.guess_limits import guessing

router = APIRouter(route_class=BoundedRoute, prefix="/api/v1")


@router.get("/invitation", tags=["sessions"])
def identity_open_invitation(link: LinkDep, service: InvitationServiceDep) -> InvitationOpened:
    """What the link invites to that is sent as a bearer token."""
    opened = service.open(link)
    row = opened.row
    return InvitationOpened(
        email=row.email,
        role=MemberRole(row.role),
        organization=opened.organization.name,
        project=None if opened.project is None else opened.project.name,
        invited_by=row.invited_by,
        expires_at=row.expires_at,
        has_account=opened.known,
    )


@router.post("/invitation", status_code=201, tags=["sessions"])
def identity_accept_invitation(
    body: InvitationAccept, link: LinkDep, request: Request, service: InvitationServiceDep
) -> UserRead:
    """Join, over the link that is sent as a bearer token: with a new account, or the one that the
    address has.
    """
    with guessing(request, service.open(link).row.email):
        user = service.accept(link, body)
    return UserRead(id=user.id, email=user.email, name=user.name)


@router.put("/password", status_code=204, tags=["sessions"])
def identity_change_password(
    body: PasswordChange, caller: PersonDep, request: Request, service: PasswordServiceDep
) -> None:
    """Change one's own password; other browsers are signed out."""
    keep = token_hash(session_sent(request))
    with guessing(request, service.address_of(caller)):
        service.change(caller, body.current, body.password, keep)


@router.post("/password-resets", status_code=202, tags=["sessions"])
def identity_ask_password_reset(body: PasswordResetAsk, service: PasswordServiceDep) -> None:
    """Have a link sent by which one's password is set anew. The answer is the same whether or not
    there is such a person.
    """
    service.ask_reset(body.email)


@router.get("/password-reset", tags=["sessions"])
def identity_open_password_reset(link: LinkDep, service: PasswordServiceDep) -> PasswordResetOpened:
    """Whose password the link sets that is sent as a bearer token."""
    return PasswordResetOpened(email=service.whose(link).email)


@router.post("/password-reset", tags=["sessions"])
def identity_reset_password(
    body: PasswordResetSet, link: LinkDep, service: PasswordServiceDep
) -> UserRead:
    """Set one's password over the link that is sent as a bearer token; all browsers are signed
    out.
    """
    user = service.reset(link, body.password)
    return UserRead(id=user.id, email=user.email, name=user.name)


@router.get("/sessions", tags=["sessions"])
def identity_list_logins(
    caller: PersonDep, request: Request, service: BrowserServiceDep
) -> Page[LoginRead]:
    """Where one is signed in."""
    current = token_hash(session_sent(request))
    return Page(
        items=[
            read_of(LoginRead, row, current=row.token_hash == current)
            for row in service.of_caller(caller)
        ]
    )  # fmt: skip


@router.delete("/sessions", status_code=204, tags=["sessions"])
def identity_end_other_logins(
    caller: PersonDep, request: Request, service: BrowserServiceDep
) -> None:
    """Sign out everywhere else."""
    service.end_others(caller, token_hash(session_sent(request)))


@router.delete("/sessions/{login_id}", status_code=204, tags=["sessions"])
def identity_end_login(login_id: UUID, caller: PersonDep, service: BrowserServiceDep) -> None:
    """Sign out one of one's browsers."""
    service.end(caller, login_id)
