"""The second line between tenants: what the database itself does not let through."""

import datetime
from uuid import uuid4

import pytest
from sqlalchemy import func, select, text, update
from sqlalchemy.exc import ProgrammingError
from weighhouse_backend.fleet.models import RegistrationToken
from weighhouse_backend.identity import audit
from weighhouse_backend.identity.models import ApiToken, Membership, Organization, Project, User
from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.tenancy import (
    PEOPLE_ROLE,
    SERVICE_ROLE,
    STRANGER_ROLE,
    TENANT_ROLE,
    confine,
    confine_to_people,
)
from weighhouse_backend.kit.unit_of_work import unit_of_work

# What is no tenant's: their transactions may not even look.
UNSEEN = {
    "users", "memberships", "project_memberships", "invitations", "password_resets",
    "second_factors", "passkeys", "recovery_codes", "factor_letters", "joining_domains",
    "domain_askings", "joining_asks",
    "login_sessions", "login_failures", "login_devices", "api_tokens", "audit_entries",
    "identity_providers", "identities", "sign_ins", "alembic_version", "notice_preferences",
    "pipeline_trusts", "pipeline_uses", "unneeded_files", "directories",
    "owed_jobs",
}  # fmt: skip
OF_PEOPLE = {
    "organizations", "projects", "users", "memberships", "project_memberships", "invitations",
    "api_tokens", "audit_entries", "organization_quotas", "project_quotas", "identity_providers",
    "pipeline_trusts", "joining_domains", "domain_askings", "directories",
}  # fmt: skip
# Guarded by what stands in their own rows: who asked for what.
WITHOUT_POLICY = {
    "idempotency_records", "login_sessions", "login_failures", "login_devices", "password_resets",
    "identities", "sign_ins", "second_factors", "passkeys", "recovery_codes", "factor_letters",
    "alembic_version", "notice_preferences", "pipeline_uses", "joining_asks", "owed_jobs",
    "provisioner_offers",
}  # fmt: skip
# What is read over links, and of what is public; of attempts and alerts some columns.
OF_STRANGERS = {
    "alerts", "attempts", "campaign_commits", "campaign_looks", "campaigns", "cells", "challenges",
    "change_points", "experiment_revisions", "experiments", "findings", "manifest_decisions",
    "manifest_offers", "manifests", "noise_measurements", "projects", "publication_consents",
    "publication_overrides", "published_source_versions", "published_sources", "report_revisions",
    "reports", "run_records", "run_summaries", "runs", "schedule_occurrences",
    "series", "series_points", "share_documents", "vendor_replies",
}  # fmt: skip
CHANGES = ("INSERT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER")


@pytest.fixture(scope="module")
def tokens(session_factory, tenants):
    """A row of each tenant."""
    now = datetime.datetime.now(datetime.UTC)
    with unit_of_work(session_factory) as session:
        for tenant in tenants:
            session.add(
                RegistrationToken(
                    project_id=tenant.project_id, token_hash=str(uuid4()), roles=[],
                    created_by="test", created_at=now, expires_at=now,
                )
            )  # fmt: skip


def confined(session_factory, how, tenant, statement):
    """Carry a statement out in a transaction that was confined to a tenant's project."""
    with unit_of_work(session_factory) as session:
        how(session, [tenant.project_id])
        session.execute(text(statement))


def tables(session):
    return set(
        session.scalars(
            text("SELECT relname FROM pg_class WHERE relkind = 'r'"
                 " AND relnamespace = 'public'::regnamespace")
        )
    )  # fmt: skip


def allowed(session, role, *rights):
    """Tables of which a role has one of some rights, perhaps of some columns alone."""
    columns = [right for right in rights if right in {"SELECT", "INSERT", "UPDATE", "REFERENCES"}]
    found = text(
        "SELECT relname FROM pg_class WHERE relkind = 'r'"
        " AND relnamespace = 'public'::regnamespace"
        " AND (has_table_privilege(:role, oid, :rights)"
        "  OR :columns != '' AND has_any_column_privilege(:role, oid, :columns))"
    )
    return set(
        session.scalars(
            found, {"role": role, "rights": ", ".join(rights), "columns": ", ".join(columns)}
        )
    )


def test_every_table_is_somebodys(session_factory):
    """A new table fails here until its migration grants it to the tenants, or it is named above;
    one with rows of projects needs the policies `own_rows` and `every_row` too."""
    guarded = text(
        "SELECT tablename FROM pg_policies JOIN pg_class ON relname = tablename"
        " WHERE relrowsecurity AND :role = ANY (roles)"
    )
    with unit_of_work(session_factory) as session:
        every = tables(session)
        assert allowed(session, TENANT_ROLE, "SELECT") == every - UNSEEN
        assert allowed(session, PEOPLE_ROLE, "SELECT") == OF_PEOPLE
        assert allowed(session, SERVICE_ROLE, "SELECT") == every
        assert allowed(session, STRANGER_ROLE, "SELECT") == OF_STRANGERS
        assert allowed(session, STRANGER_ROLE, *CHANGES) == set()
        policies = {
            role: set(session.scalars(guarded, {"role": role}))
            for role in (TENANT_ROLE, PEOPLE_ROLE, SERVICE_ROLE, STRANGER_ROLE)
        }
    assert policies[TENANT_ROLE] == every - UNSEEN - WITHOUT_POLICY
    assert policies[PEOPLE_ROLE] == OF_PEOPLE
    assert policies[STRANGER_ROLE] == OF_STRANGERS
    assert policies[SERVICE_ROLE] == every - WITHOUT_POLICY


def test_the_application_owns_nothing_and_may_not_make_itself_more(session_factory):
    with unit_of_work(session_factory) as session:
        me = session.scalar(text("SELECT session_user"))
        assert me == "weighhouse_app"
        rights = session.execute(
            text("SELECT rolsuper, rolcreaterole, rolcreatedb, rolbypassrls, rolreplication"
                 " FROM pg_roles WHERE pg_has_role(session_user, oid, 'MEMBER')")
        ).all()  # fmt: skip
        assert len(rights) == 5, "itself, and the four groups"
        assert not any(any(row) for row in rights)
        for owned in (
            "SELECT relname FROM pg_class WHERE pg_has_role(session_user, relowner, 'MEMBER')",
            "SELECT proname FROM pg_proc WHERE pg_has_role(session_user, proowner, 'MEMBER')",
            "SELECT nspname FROM pg_namespace WHERE pg_has_role(session_user, nspowner, 'MEMBER')",
            "SELECT datname FROM pg_database WHERE pg_has_role(session_user, datdba, 'MEMBER')",
        ):
            assert list(session.scalars(text(owned))) == [], owned
        for role in (me, TENANT_ROLE, PEOPLE_ROLE, SERVICE_ROLE, STRANGER_ROLE):
            assert not session.scalar(
                select(func.has_schema_privilege(role, "public", "CREATE"))
            ), role


@pytest.mark.parametrize("role", ["weighhouse_app", TENANT_ROLE, PEOPLE_ROLE, SERVICE_ROLE])
def test_nobody_of_the_application_changes_what_is_on_record(session_factory, role):
    with unit_of_work(session_factory) as session:
        changed = allowed(session, role, "UPDATE", "DELETE", "TRUNCATE", "TRIGGER", "REFERENCES")
        assert "audit_entries" not in changed
        deleted = allowed(session, role, "DELETE", "TRUNCATE")
        assert not deleted & {"projects", "organizations"}, "their audit entries would go with them"


@pytest.mark.parametrize("table", sorted(UNSEEN))
def test_a_tenants_transaction_is_refused_what_is_no_tenants(session_factory, tenants, table):
    statements = (
        f"SELECT count(*) FROM {table}", f"DELETE FROM {table}",
        f"INSERT INTO {table} SELECT * FROM {table}", f"LOCK TABLE {table}",
    )  # fmt: skip
    for statement in statements:
        with pytest.raises(ProgrammingError, match="permission denied"):
            confined(session_factory, confine, tenants[0], statement)
    with unit_of_work(session_factory) as session:
        assert table not in allowed(session, TENANT_ROLE, "SELECT", *CHANGES)


def test_a_tenants_transaction_names_its_colleagues_alone(session_factory, tenants):
    ours, theirs = tenants
    with unit_of_work(session_factory) as session:
        confine(session, [ours.project_id])
        named = session.execute(text("SELECT user_id, name FROM weighhouse_colleagues()")).all()
        assert [tuple(row) for row in named] == [(ours.user_id, "ours")]
        assert session.scalars(select(Organization.id)).all() == [ours.organization_id]
    with unit_of_work(session_factory) as session:
        everybody = set(session.scalars(text("SELECT user_id FROM weighhouse_colleagues()")))
        assert everybody == {ours.user_id, theirs.user_id}


def test_a_tenants_transaction_notes_of_its_projects_alone(session_factory, tenants):
    ours, theirs = tenants
    told = {"actor": "a", "action": "b", "subject": "c"}

    def note(project_id):
        with unit_of_work(session_factory) as session:
            confine(session, [ours.project_id])
            audit.record(session, SystemClock(), project_id=project_id, **told)

    note(ours.project_id)
    for foreign in (theirs.project_id, None):
        with pytest.raises(ProgrammingError, match="another project"):
            note(foreign)


def test_who_gives_access_sees_their_organization_and_no_secret(session_factory, tenants):
    ours, theirs = tenants
    with unit_of_work(session_factory) as session:
        confine_to_people(session, [ours.project_id])
        assert session.scalars(select(User.id)).all() == [ours.user_id]
        assert session.scalars(select(Membership.user_id)).all() == [ours.user_id]
        assert {row.project_id for row in session.scalars(select(ApiToken))} == {ours.project_id}
        assert session.scalars(select(Project.id)).all() == [ours.project_id]
    for forbidden in (
        "SELECT password_hash FROM users", "SELECT count(*) FROM login_sessions",
        "SELECT count(*) FROM campaigns", "UPDATE users SET password_hash = ''",
    ):  # fmt: skip
        with pytest.raises(ProgrammingError, match="permission denied"):
            confined(session_factory, confine_to_people, ours, forbidden)
    there = theirs.organization_id
    for refused in (
        f"INSERT INTO memberships VALUES ('{there}', '{ours.user_id}', 'owner', now())",
        f"INSERT INTO users VALUES ('{uuid4()}', 'e', 'n', 'h', now())",
    ):
        with pytest.raises(ProgrammingError, match="permission denied"):
            confined(session_factory, confine_to_people, ours, refused)
    for foreign in (
        f"INSERT INTO projects VALUES ('{uuid4()}', '{there}', 's', 'n', now())",
        f"UPDATE memberships SET organization_id = '{there}'",
    ):
        with pytest.raises(ProgrammingError, match="row-level security"):
            confined(session_factory, confine_to_people, ours, foreign)


@pytest.mark.usefixtures("tokens")
def test_a_forgotten_condition_shows_no_other_tenants_row(session_factory, tenants):
    ours, theirs = tenants
    every = select(RegistrationToken)
    with unit_of_work(session_factory) as session:
        assert {row.project_id for row in session.scalars(every)} == {
            ours.project_id,
            theirs.project_id,
        }
        confine(session, [ours.project_id])
        session.expunge_all()
        assert {row.project_id for row in session.scalars(every)} == {ours.project_id}
        assert session.get(Project, theirs.project_id) is None
        changed = session.execute(update(RegistrationToken).values(created_by="taken"))
        assert changed.rowcount == 1
    with unit_of_work(session_factory) as session:
        names = {row.project_id: row.created_by for row in session.scalars(every)}
    assert names == {ours.project_id: "taken", theirs.project_id: "test"}


@pytest.mark.usefixtures("tokens")
def test_a_row_cannot_be_put_under_another_tenant(session_factory, tenants):
    ours, theirs = tenants

    def give():
        with unit_of_work(session_factory) as session:
            confine(session, [ours.project_id])
            session.execute(update(RegistrationToken).values(project_id=theirs.project_id))

    with pytest.raises(ProgrammingError, match="row-level security"):
        give()


@pytest.mark.usefixtures("tokens")
def test_nobody_in_particular_sees_nothing(session_factory):
    with unit_of_work(session_factory) as session:
        confine(session, [])
        assert session.scalars(select(RegistrationToken)).all() == []


@pytest.mark.usefixtures("tokens")
def test_confinement_ends_with_its_transaction(session_factory, tenants):
    with unit_of_work(session_factory) as session:
        confine(session, [tenants[0].project_id])
        session.rollback()
        assert len(session.scalars(select(RegistrationToken)).all()) == 2
