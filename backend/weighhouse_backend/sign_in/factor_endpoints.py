"""One's own second factor."""

from contextlib import AbstractContextManager, nullcontext
from uuid import UUID

from fastapi import APIRouter, Request

from weighhouse_backend.identity.access import Caller, ManagerDep, PersonDep
from weighhouse_backend.identity.cookie_names import session_sent
from weighhouse_backend.identity.secrets import token_hash
from weighhouse_backend.kit.bodies import BoundedRoute
from weighhouse_backend.membership.dependencies import FactorPolicyServiceDep
from weighhouse_backend.membership.factor_policy_schemas import FactorPolicyRead, FactorPolicySet
from weighhouse_backend.sign_in.dependencies import FactorServiceDep, PasswordServiceDep
from weighhouse_backend.sign_in.factor_schemas import (
    FactorBegun,
    FactorConfirm,
    FactorProof,
    FactorRead,
    RecoveryCodesMade,
)
from weighhouse_backend.sign_in.guess_limits import guessing
from weighhouse_backend.sign_in.passwords import PasswordService

router = APIRouter(route_class=BoundedRoute, prefix="/api/v1")


def proving(
    request: Request, people: PasswordService, caller: Caller, proof: FactorProof
) -> AbstractContextManager[None]:
    """A proof by password and code counts as a guess until it is known to be right; a passkey's
    signature is none.
    """
    if proof.passkey is not None:
        return nullcontext()
    return guessing(request, people.address_of(caller))


@router.get("/second-factor", tags=["sessions"])
def identity_read_second_factor(caller: PersonDep, service: FactorServiceDep) -> FactorRead:
    """What one's logins take besides the password, or in its stead."""
    return service.read(caller.id)


@router.post("/second-factor", status_code=201, tags=["sessions"])
def identity_begin_second_factor(
    body: FactorProof, caller: PersonDep, request: Request, service: FactorServiceDep,
    people: PasswordServiceDep,
) -> FactorBegun:  # fmt: skip
    """Set up an authenticator, by one's password, and a code where there is a second factor;
    logins take it once a code was confirmed.
    """
    with proving(request, people, caller, body):
        return service.begin(caller, body)


@router.put("/second-factor", tags=["sessions"])
def identity_confirm_second_factor(
    body: FactorConfirm, caller: PersonDep, request: Request, service: FactorServiceDep
) -> RecoveryCodesMade:
    """Confirm the authenticator with a code of it. With the first second factor come recovery
    codes, shown this once, and other browsers are signed out.
    """
    keep = token_hash(session_sent(request))
    return RecoveryCodesMade(recovery_codes=service.confirm(caller, body.code, keep))


@router.post("/second-factor/recovery-codes", status_code=201, tags=["sessions"])
def identity_renew_recovery_codes(
    body: FactorProof, caller: PersonDep, request: Request, service: FactorServiceDep,
    people: PasswordServiceDep,
) -> RecoveryCodesMade:  # fmt: skip
    """Make one's recovery codes anew, by password and a code, or by a passkey; the former end."""
    with proving(request, people, caller, body):
        made = service.renew_codes(caller, body)
    return RecoveryCodesMade(recovery_codes=made)


@router.post("/second-factor/removal", status_code=204, tags=["sessions"])
def identity_remove_second_factor(
    body: FactorProof, caller: PersonDep, request: Request, service: FactorServiceDep,
    people: PasswordServiceDep,
) -> None:  # fmt: skip
    """Take one's authenticator off, by password and a code, or by a passkey."""
    with proving(request, people, caller, body):
        service.remove(caller, body)


@router.delete("/members/{user_id}/second-factor", status_code=204, tags=["people"])
def identity_reset_second_factor(
    user_id: UUID,
    caller: ManagerDep,
    service: FactorPolicyServiceDep,
    project_id: UUID | None = None,
) -> None:
    """Have a member's logins take the password alone, who lost authenticator and recovery codes;
    all their browsers are signed out. Takes an owner of the organization, signed in, and a member
    of no other organization.
    """
    service.reset(caller, project_id, user_id)


@router.get("/second-factor-policy", tags=["people"])
def identity_read_factor_policy(
    caller: ManagerDep, service: FactorPolicyServiceDep, project_id: UUID | None = None
) -> FactorPolicyRead:
    """Whether a project's organization requires a second factor; takes an owner of it, signed
    in.
    """
    return service.read(caller, project_id)


@router.put("/second-factor-policy", tags=["people"])
def identity_set_factor_policy(
    body: FactorPolicySet,
    caller: ManagerDep,
    service: FactorPolicyServiceDep,
    project_id: UUID | None = None,
) -> FactorPolicyRead:
    """Require a second factor of the people of a project's organization, or not any more: roles
    rest of who has none. Takes an owner of the organization, signed in, who has one.
    """
    return service.require(caller, project_id, required=body.required)
