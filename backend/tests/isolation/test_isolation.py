"""Every operation of the API, asked by everybody who must not have what it gives.

Made from the API's own description: an operation that `operations.py` does not name turns this red.
Two lines part the tenants, the services' own conditions and the database's policies; each is
switched off in turn, and the other holds.
"""

import datetime
from collections.abc import Iterator, Mapping
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import create_engine, delete, select
from weighhouse_backend.directories import scim_requests
from weighhouse_backend.directories.accounts import Accounts
from weighhouse_backend.directories.models import Directory
from weighhouse_backend.disclosure.links import REPLY
from weighhouse_backend.identity import access
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.models import LoginFailure, Organization, Project
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.identity.secrets import new_token, token_hash
from weighhouse_backend.kit import tenancy
from weighhouse_backend.kit.signed_links import secret_of
from weighhouse_backend.kit.unit_of_work import unit_of_work

from backend.tests.described import described
from backend.tests.isolation.operations import FINE, RULES, Rule
from backend.tests.isolation.stored import (
    MARK,
    Access,
    Victim,
    ask,
    headers_of,
    person,
    present,
    project,
)
from backend.tests.results.laboratory import Laboratory, experiment

DESCRIBED = {
    (method.upper(), path): operation
    for path, methods in described()["paths"].items()
    for method, operation in methods.items()
}
OPERATIONS = {operation["operationId"]: called for called, operation in DESCRIBED.items()}
TAGS = {operation["operationId"]: operation["tags"] for operation in DESCRIBED.values()}
NOBODY = ("stranger", "revoked", "expired")
OTHERS = ("other project", "other tenant")


def test_every_operation_has_a_rule():
    assert set(OPERATIONS) - set(RULES) == set(), (
        "say in backend/tests/isolation/operations.py what these operations are of, and who may"
    )
    assert set(RULES) - set(OPERATIONS) == set(), "there is no such operation any more"


@pytest.fixture(scope="module")
def callers(session_factory, tenants) -> dict[str, Access | None]:
    """Everybody who calls, by what they are to the owner of the objects."""
    ours, theirs = tenants
    with unit_of_work(session_factory) as session:
        viewer = person(session, ours.organization_id, "viewer", Role.VIEWER)
        beside = project(session, ours.organization_id, "beside")
    return {
        "stranger": None,
        "revoked": Access(ours.project_id, ours.user_id, Role.OWNER, token_revoked=True),
        "expired": Access(ours.project_id, ours.user_id, Role.OWNER, expired=True),
        "viewer": Access(ours.project_id, viewer, Role.VIEWER),
        "other project": Access(beside, theirs.user_id, Role.OWNER),
        "other tenant": Access(theirs.project_id, theirs.user_id, Role.OWNER),
    }


@pytest.fixture(scope="module")
def victim(owner_database_url, objects, callers) -> Iterator[Victim]:
    del callers  # made before anything is looked at
    engine = create_engine(owner_database_url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        yield Victim(connection, UUID(objects["project_id"]), UUID(objects["organization_id"]))
    engine.dispose()


@pytest.fixture(scope="module")
def marks(victim, objects) -> set[str]:
    """What tells an object of the tenant, and is no other's."""
    return {MARK, *victim.ids()} - {objects["user_id"]}


class Asking:
    """Asks for one operation as somebody, and looks at the answer."""

    def __init__(self, client, sessions, objects, callers, marks) -> None:
        self.client, self.sessions, self.objects = client, sessions, objects
        self.callers, self.marks = callers, marks

    def __call__(self, name: str, who: str) -> Any:
        rule = RULES[name]
        with unit_of_work(self.sessions) as session:
            headers = headers_of(session, self.callers[who], by_person=rule.by_person)
        return ask(self.client, OPERATIONS[name], rule, self.objects, headers)

    def leaked(self, name: str, who: str, answer: Any) -> set[str]:
        """Marks in an answer that the question did not bring along."""
        rule = RULES[name]
        brought = str(answer.request.url) + answer.request.content.decode(errors="replace")
        if rule.kind == "public" or (rule.shared and who == "other project"):
            return set()
        told = answer.text + str(dict(answer.headers))
        if who == "other project":  # it is of the same organization, and may say so
            told = told.replace(self.objects["organization_id"], "")
        return {mark for mark in self.marks if mark in told and mark not in brought}


@pytest.fixture(autouse=True)
def _no_guesses_yet(session_factory):
    """Cases that send a wrong password do not use up those of others."""
    with unit_of_work(session_factory) as session:
        session.execute(delete(LoginFailure))


@pytest.fixture(scope="module")
def asking(client, session_factory, objects, callers, marks) -> Asking:
    return Asking(client, session_factory, objects, callers, marks)


def wanted(rule: Rule, who: str) -> frozenset[int]:
    """Answers that somebody may be given."""
    if rule.kind == "public":
        return FINE | {401, 409} | rule.viewer
    if rule.kind == "vendor":
        return frozenset({404})
    if rule.kind in {"agent", "directory"} or who in NOBODY:
        return frozenset({401})
    if who == "viewer":
        return rule.viewer or (FINE if rule.role == "viewer" else frozenset({403}))
    if rule.shared and who == "other project":
        return FINE | rule.others
    return rule.others


def said(name: str, who: str, answer: Any) -> str:
    method, path = OPERATIONS[name]
    return f"{name} ({method} {path}) as {who}: {answer.status_code} {answer.text[:300]}"


@pytest.mark.parametrize("name", sorted(set(OPERATIONS) & set(RULES)))
def test_nobody_gets_what_is_not_theirs(asking, victim, name):
    rule, before, wrong = RULES[name], victim.digest(), []
    refusals = ["viewer"] if rule.role != "viewer" else []
    for who in (*NOBODY, *OTHERS, *refusals):
        answer = asking(name, who)
        if answer.status_code not in wanted(rule, who) or asking.leaked(name, who, answer):
            leaked = asking.leaked(name, who, answer)
            wrong.append(f"{said(name, who, answer)}\n   leaked: {sorted(leaked)[:5]}")
    after = victim.digest()
    tables = before.keys() | after.keys()
    changed = [table for table in tables if before.get(table) != after.get(table)]
    assert not wrong, "\n".join(wrong)
    assert not changed, f"{name}: somebody changed {changed}"
    if rule.role == "viewer" and not rule.endless and rule.kind in {"named", "mine"}:
        answer = asking(name, "viewer")
        assert answer.status_code in wanted(rule, "viewer"), said(name, "viewer", answer)


class Everything(dict[UUID, Role]):
    """Roles of somebody whom the services let do anything, wherever it is."""

    def get(self, key: UUID, default: Any = None) -> Any:
        del key, default
        return Role.OWNER

    def __missing__(self, key: UUID) -> Role:
        return Role.OWNER


@pytest.fixture
def services_off(monkeypatch, session_factory):
    """No service asks whose anything is; the database is told the truth."""
    with unit_of_work(session_factory) as session:
        every = frozenset(session.scalars(select(Project.id)))
    known = access.recognize

    def recognize(*arguments: Any) -> Caller:
        caller = known(*arguments)
        return Caller(caller.kind, caller.id, caller.name, Everything(caller.roles))

    monkeypatch.setattr(access, "recognize", recognize)
    monkeypatch.setattr(Caller, "require", lambda *_, **__: None)
    monkeypatch.setattr(Caller, "project_ids", every)


@pytest.fixture
def policies_off(monkeypatch):
    """No transaction is confined."""
    monkeypatch.setattr(tenancy, "_take", lambda *_: None)


def crossing(rule: Rule) -> Mapping[str, Any]:
    return {} if rule.kind in {"public", "vendor", "agent", "directory"} else {"others": OTHERS}


ASKED_BY_PEOPLE = sorted(name for name in set(OPERATIONS) & set(RULES) if crossing(RULES[name]))


@pytest.mark.usefixtures("services_off")
@pytest.mark.parametrize("name", ASKED_BY_PEOPLE)
def test_the_database_holds_when_services_forget(asking, victim, name):
    before = victim.digest()
    for who in OTHERS:
        answer = asking(name, who)
        leaked = asking.leaked(name, who, answer)
        assert not leaked, f"{said(name, who, answer)}\n   leaked: {sorted(leaked)[:5]}"
        if RULES[name].kind == "named" and not (RULES[name].shared and who == "other project"):
            looked_at = answer.request.method == "GET" and answer.is_success
            assert not looked_at or harmless(answer), said(name, who, answer)
    assert victim.digest() == before, f"{name}: somebody changed what is not theirs"


def harmless(answer: Any) -> bool:
    """Whether there is nothing of the object in an answer."""
    return MARK not in answer.text


@pytest.mark.usefixtures("policies_off")
@pytest.mark.parametrize("name", ASKED_BY_PEOPLE)
def test_the_services_hold_when_the_database_does_not_part_tenants(asking, victim, name):
    before = victim.digest()
    for who in OTHERS:
        answer = asking(name, who)
        leaked = asking.leaked(name, who, answer)
        assert not leaked, f"{said(name, who, answer)}\n   leaked: {sorted(leaked)[:5]}"
        assert answer.status_code in wanted(RULES[name], who), said(name, who, answer)
    assert victim.digest() == before, f"{name}: somebody changed what is not theirs"


@pytest.fixture
def strict(session_factory, tenants):
    """The tenant's organization requires a second factor, which nobody has."""

    def require(at: datetime.datetime | None) -> None:
        with unit_of_work(session_factory) as session:
            session.get_one(Organization, tenants[0].organization_id).factor_required_at = at

    require(present())
    yield
    require(None)


OWN_ACCOUNT = {
    *(name for name, tags in TAGS.items() if "sessions" in tags),
    "identity_make_organization", "notices_read_settings", "notices_save_settings",
}  # fmt: skip
"""What people do about themselves goes on without a second factor: it is set up there."""


@pytest.mark.usefixtures("strict")
@pytest.mark.parametrize("name", ASKED_BY_PEOPLE)
def test_who_lacks_a_required_factor_gets_nothing(
    client, session_factory, callers, objects, asking, victim, name
):
    before = victim.digest()
    with unit_of_work(session_factory) as session:
        headers = headers_of(session, callers["viewer"], by_person=True)
    answer = ask(client, OPERATIONS[name], RULES[name], objects, headers)
    assert not asking.leaked(name, "viewer", answer), said(name, "viewer", answer)
    if name not in OWN_ACCOUNT:
        assert answer.status_code == 403, said(name, "viewer", answer)
    if name not in OWN_ACCOUNT and RULES[name].role != "operator":
        assert answer.json()["type"].endswith("/second-factor-required")
    assert victim.digest() == before, f"{name}: somebody changed what rests"


def test_lines_are_really_switched_off(asking, objects, request):
    """With both off, another tenant reads and writes what is not theirs."""
    request.getfixturevalue("services_off")
    request.getfixturevalue("policies_off")
    read = asking("findings_read_run", "other tenant")
    assert read.status_code == 200
    assert objects["campaign_id"] in read.text
    assert asking("campaigns_release", "other tenant").status_code == 200


OF_MACHINES = sorted(name for name, rule in RULES.items() if rule.kind == "agent")
OF_ATTEMPTS = sorted(name for name in OF_MACHINES if "{attempt_id}" in OPERATIONS[name][1])


@pytest.fixture(scope="module")
def machines(client, session_factory, settings, tenants, objects) -> dict[str, dict[str, str]]:
    """Headers of machines and attempts that have nothing to do with the objects' ones."""
    del objects  # enrolled first
    theirs = Laboratory(client, session_factory, settings, tenants[1].headers)
    theirs.enrol()
    gone = dict(theirs.agent)
    listed = client.get("/api/v1/agents", headers=theirs.headers).json()["items"]
    revoked = client.post(f"/api/v1/agents/{listed[0]['id']}/revoke", headers=theirs.headers)
    assert revoked.is_success, revoked.text
    theirs.enrol()
    theirs.campaign(experiment("theirs", repetitions=1))
    order = theirs.begin()
    return {
        "another tenant's machine": theirs.agent,
        "another tenant's attempt": {"Authorization": f"Bearer {order['attempt_token']}"},
        "a revoked machine": gone,
    }


@pytest.mark.parametrize("name", OF_MACHINES)
def test_machines_reach_their_own_attempts_alone(client, machines, objects, marks, victim, name):
    before = victim.digest()
    for who, headers in machines.items():
        answer = ask(client, OPERATIONS[name], RULES[name], objects, headers)
        told = said(name, who, answer)
        if name in OF_ATTEMPTS or who == "a revoked machine":
            assert answer.status_code in {401, 403, 404}, told
        leaked = {mark for mark in marks - {objects["attempt_id"]} if mark in answer.text}
        assert not leaked, told
    assert victim.digest() == before, f"{name}: a machine changed what is not its own"


OF_DIRECTORIES = sorted(name for name, rule in RULES.items() if rule.kind == "directory")


@pytest.fixture(scope="module")
def directories(session_factory, tenants) -> dict[str, dict[str, str]]:
    """Headers of another tenant's directory, and of one whose organization shut it out."""
    token, gone = new_token("c"), new_token("c")
    with unit_of_work(session_factory) as session:
        session.add(
            Directory(
                organization_id=tenants[1].organization_id, token_hash=token_hash(token),
                prefix="whc_", created_by="test", created_at=present(),
            )
        )  # fmt: skip
    tokens = {"another tenant's": token, "one that was shut out": gone}
    return {who: {"Authorization": f"Bearer {one}"} for who, one in tokens.items()}


@pytest.fixture(params=["as they are", "services off", "policies off"])
def lines(request, monkeypatch, tenants):
    """The two lines between tenants, each of them switched off in turn."""
    ours = tenants[0].organization_id
    if request.param == "services off":
        monkeypatch.setattr(
            scim_requests, "Accounts", lambda people, _, by: Accounts(people, ours, by)
        )
    elif request.param == "policies off":
        monkeypatch.setattr(tenancy, "_take", lambda *_: None)


@pytest.mark.usefixtures("lines")
@pytest.mark.parametrize("name", OF_DIRECTORIES)
def test_directories_reach_their_own_people_alone(
    client, directories, objects, marks, victim, name
):
    before = victim.digest()
    for who, headers in directories.items():
        answer = ask(client, OPERATIONS[name], RULES[name], objects, headers)
        told = said(name, who, answer)
        if "{account_id}" in OPERATIONS[name][1] or who == "one that was shut out":
            assert answer.status_code in {401, 404}, told
        else:
            assert objects["user_id"] not in answer.text, told
        assert not {mark for mark in marks if mark in answer.text}, told
    assert victim.digest() == before, f"{name}: a directory changed what is not its own"


def test_whose_attempt_it_is_does_reach_it(client, objects):
    """Else nothing above would tell anything."""
    name = "campaigns_get_attempt"
    own = {"Authorization": f"Bearer {objects['attempt_token']}"}
    answer = ask(client, OPERATIONS[name], RULES[name], objects, own)
    assert answer.status_code == 200, answer.text


@pytest.mark.parametrize("name", ["publishing_read_reply_page", "publishing_reply"])
def test_links_of_vendors_open_one_campaign_and_end(client, settings, objects, victim, name):
    link = UUID(objects["link_id"])
    now = datetime.datetime.now(datetime.UTC)
    past = REPLY.signed(secret_of(settings), link, now - datetime.timedelta(seconds=1))
    later = now + datetime.timedelta(days=1)
    forged = REPLY.signed(b"another installation's secret", link, later)
    unknown = REPLY.signed(secret_of(settings), UUID(objects["run_id"]), later)
    before = victim.digest()
    for who, token in {"ended": past, "forged": forged, "unknown": unknown}.items():
        headers = {"Authorization": f"Bearer {token}"}
        answer = ask(client, OPERATIONS[name], RULES[name], objects, headers)
        assert answer.status_code in {401, 403, 404, 410}, said(name, who, answer)
        assert MARK not in answer.text
    assert victim.digest() == before
