"""Every operation, asked by people of every role and by their tokens of every scope.

What each takes stands in `operations.py`; the API's document, the refusals and that table say the
same. Nothing that is asked for is kept, so that every question is put to the same objects.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy.orm import Session, sessionmaker
from weighhouse_backend.identity.access import CSRF_HEADER
from weighhouse_backend.identity.cookie_names import SESSION
from weighhouse_backend.identity.models import ApiToken, LoginSession
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.identity.scopes import INCLUDED, TAKES, Scope
from weighhouse_backend.identity.secrets import new_token, token_hash, token_prefix
from weighhouse_backend.kit.unit_of_work import unit_of_work

from backend.tests.described import described
from backend.tests.isolation.operations import RULES, Rule
from backend.tests.isolation.stored import ask, person, present

DESCRIBED = {
    operation["operationId"]: (method.upper(), path, operation.get("security", []))
    for path, methods in described()["paths"].items()
    for method, operation in methods.items()
}
OF_PEOPLE = sorted(
    name for name, (*_, security) in DESCRIBED.items() if {"session": []} in security
)
ROLES = ("viewer", "member", "maintainer", "owner")


class Forgetful(Session):
    """Keeps nothing."""

    def commit(self) -> None:
        self.flush()
        self.rollback()


def fitting(wanted: str) -> frozenset[Scope]:
    """Scopes that open what takes one."""
    own = Scope(wanted)
    return frozenset({own, *(one for one, more in INCLUDED.items() if own in more)})


def scopes_of(called: str) -> list[str] | None:
    """Of a token, as the tests call it: one scope, `not` and one for all that do not fit it, or
    `every` for a token without any.
    """
    if called == "every":
        return None
    if called.startswith("not "):
        return sorted(set(Scope) - fitting(called.removeprefix("not ")))
    return [called]


@pytest.fixture(scope="module")
def headers(session_factory, tenants, objects) -> dict[tuple[str, str | None], dict[str, str]]:
    """How somebody calls, by role and personal token (`scopes_of`); None: a browser."""
    del objects  # made first
    found: dict[tuple[str, str | None], dict[str, str]] = {}
    with unit_of_work(session_factory) as session:
        for role in ROLES:
            who = person(session, tenants[0].organization_id, f"a-{role}", Role(role))
            cookie = new_token("s")
            session.add(
                LoginSession(
                    user_id=who, token_hash=token_hash(cookie), created_at=present(),
                    last_used_at=present(),
                )
            )  # fmt: skip
            found[role, None] = {"Cookie": f"{SESSION}={cookie}", CSRF_HEADER: "1"}
            for called in ("every", *Scope, *(f"not {one}" for one in Scope)):
                token = new_token("p")
                session.add(
                    ApiToken(
                        project_id=tenants[0].project_id, name=f"{role} {called}", role=role,
                        scopes=scopes_of(called), owner_id=who, prefix=token_prefix(token),
                        token_hash=token_hash(token), created_by="test", created_at=present(),
                        last_used_at=present(),
                    )
                )  # fmt: skip
                found[role, called] = {"Authorization": f"Bearer {token}"}
    return found


@pytest.fixture
def answered(client, engine, headers, objects) -> Iterator[Any]:
    """Asks for an operation as somebody; what it changed is not kept."""
    kept = client.app.state.session_factory
    client.app.state.session_factory = sessionmaker(
        engine, class_=Forgetful, expire_on_commit=False
    )

    def asked(name: str, role: str, token: str | None) -> Any:
        return ask(client, DESCRIBED[name][:2], RULES[name], objects, headers[role, token])

    yield asked
    client.app.state.session_factory = kept


def refused(answer: Any) -> str | None:
    """By what somebody was refused; None: by nothing of what they may."""
    if answer.status_code not in {401, 403}:
        assert answer.status_code < 500, answer.text
        return None
    return str(answer.json()["type"]).rsplit("/", 1)[-1]


def covers(role: str, rule: Rule) -> bool:
    return rule.role in ROLES and ROLES.index(role) >= ROLES.index(rule.role)


def asking(rule: Rule) -> tuple[str, ...]:
    """Roles that tell something: all that are too low, the least that is not, and the highest."""
    enough = [role for role in ROLES if covers(role, rule)]
    if rule.endless:
        enough = []
    return (
        *(role for role in ROLES if not covers(role, rule)),
        *dict.fromkeys(enough[:1] + enough[-1:]),
    )


def test_the_document_says_what_each_operation_takes():
    assert set(TAKES) == set(OF_PEOPLE)
    for name in OF_PEOPLE:
        scope = RULES[name].scope
        token = [] if scope is None else [{"token": [scope]}]
        assert DESCRIBED[name][2] == [*token, {"session": []}], name
    by_token = [rule.scope for rule in RULES.values() if rule.scope is not None]
    assert set(by_token) == set(Scope), "a scope that opens nothing"


@pytest.mark.parametrize("name", OF_PEOPLE)
def test_roles_are_what_the_table_says(answered, name):
    rule, way = RULES[name], None if RULES[name].scope is None else "every"
    for role in asking(rule):
        answer = answered(name, role, way)
        if covers(role, rule):
            assert refused(answer) is None, (role, answer.text)
        else:
            assert answer.status_code in {403} | rule.viewer, (role, answer.text)


@pytest.mark.parametrize("name", OF_PEOPLE)
def test_scopes_are_what_the_table_says(answered, name):
    rule = RULES[name]
    if rule.scope is None:
        for role in ROLES:
            assert refused(answered(name, role, "every")) == "forbidden", role
        return
    answer = answered(name, "owner", f"not {rule.scope}")
    assert refused(answer) == "scope-missing", answer.text
    assert rule.scope in answer.json()["detail"]
    for scope in fitting(rule.scope):
        for role in asking(rule):
            answer = answered(name, role, scope)
            expected = "forbidden" if rule.gives else None
            if covers(role, rule):
                assert refused(answer) == expected, (scope, role, answer.text)
            else:
                assert answer.status_code in {403} | rule.viewer, (scope, role, answer.text)
