"""The second line between tenants: what the database itself does not let through."""

import pytest
from sqlalchemy import select, text, update
from sqlalchemy.exc import ProgrammingError
from weighhouse_backend.identity.models import ApiToken, Project
from weighhouse_backend.kit.tenancy import TENANT_ROLE, confine
from weighhouse_backend.kit.unit_of_work import unit_of_work


def test_every_table_of_tenants_is_guarded(session_factory):
    tenants = text(
        "SELECT table_name FROM information_schema.columns"
        " WHERE table_schema = 'public' AND column_name = 'project_id'"
    )
    guarded = text(
        "SELECT tablename FROM pg_policies JOIN pg_class ON relname = tablename"
        " WHERE relrowsecurity AND :role = ANY (roles)"
    )
    with unit_of_work(session_factory) as session:
        wanted = set(session.scalars(tenants))
        found = set(session.scalars(guarded, {"role": TENANT_ROLE}))
    assert len(wanted) > 20
    assert found == wanted | {"projects", "manifests", "manifest_offers", "price_sheets"}


def test_a_forgotten_condition_shows_no_other_tenants_row(session_factory, tenants):
    ours, theirs = tenants
    with unit_of_work(session_factory) as session:
        assert {row.project_id for row in session.scalars(select(ApiToken))} == {
            ours.project_id,
            theirs.project_id,
        }
        confine(session, [ours.project_id])
        session.expunge_all()
        assert {row.project_id for row in session.scalars(select(ApiToken))} == {ours.project_id}
        assert session.get(Project, theirs.project_id) is None
        changed = session.execute(update(ApiToken).values(name="taken"))
        assert changed.rowcount == 1
    with unit_of_work(session_factory) as session:
        names = {row.project_id: row.name for row in session.scalars(select(ApiToken))}
    assert names == {ours.project_id: "taken", theirs.project_id: "test"}


def test_a_row_cannot_be_put_under_another_tenant(session_factory, tenants):
    ours, theirs = tenants

    def give():
        with unit_of_work(session_factory) as session:
            confine(session, [ours.project_id])
            session.execute(update(ApiToken).values(project_id=theirs.project_id))

    with pytest.raises(ProgrammingError, match="row-level security"):
        give()


def test_nobody_in_particular_sees_nothing(session_factory, tenants):
    del tenants
    with unit_of_work(session_factory) as session:
        confine(session, [])
        assert session.scalars(select(ApiToken)).all() == []


def test_confinement_ends_with_its_transaction(session_factory, tenants):
    with unit_of_work(session_factory) as session:
        confine(session, [tenants[0].project_id])
        session.rollback()
        assert len(session.scalars(select(ApiToken)).all()) == 2
