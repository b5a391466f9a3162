"""People who are forgotten: they go, what they did stays under a pseudonym."""

import datetime
import json
import os
import subprocess
import sys
from uuid import uuid4

import pytest
from sqlalchemy import select
from weighhouse_backend.identity.models import (
    AuditEntry,
    Invitation,
    LoginFailure,
    Membership,
    User,
)
from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.db import make_engine, make_session_factory
from weighhouse_backend.kit.problems import Forbidden
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.membership.domain_models import JoiningAsk
from weighhouse_backend.membership.erasure import ForgettingService, pseudonym_of
from weighhouse_backend.retention.models import RetentionRules

NOW = datetime.datetime(2026, 11, 20, tzinfo=datetime.UTC)


def join(session, tenant, name, role="member"):
    """A person who belongs to an organization; their id."""
    user = User(id=uuid4(), email=f"{uuid4().hex}@example.test", name=name, created_at=NOW)
    session.add(user)
    session.flush()
    session.add(
        Membership(
            organization_id=tenant.organization_id, user_id=user.id, role=role, created_at=NOW
        )
    )
    session.flush()
    return user.id, user.email


def note(session, tenant, actor, subject="campaign 1", **more):
    entry = AuditEntry(
        project_id=tenant.project_id, actor=actor, action="test.done", subject=subject, at=NOW,
        **{"details": {}, **more},
    )  # fmt: skip
    session.add(entry)
    session.flush()
    return entry.id


@pytest.fixture
def on_machine(settings, owner_database_url):
    """Carries the program out as whoever keeps the installation would."""

    def carried_out(*words):
        environment = {
            **os.environ,
            "WEIGHHOUSE_DATABASE_URL": settings.database_url,
            "WEIGHHOUSE_OWNER_DATABASE_URL": owner_database_url,
            "WEIGHHOUSE_REDIS_URL": settings.redis_url,
        }
        return subprocess.run(
            [sys.executable, "-m", "weighhouse_backend.app.forget_person", *words],
            env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip

    return carried_out


@pytest.fixture
def owning(owner_database_url):
    """Sessions of the login that owns the tables."""
    engine = make_engine(owner_database_url)
    yield make_session_factory(engine)
    engine.dispose()


@pytest.fixture
def ada(session_factory, tenants):
    """A person of the first organization; a namesake is in the second."""
    ours, theirs = tenants
    with unit_of_work(session_factory) as session:
        ada, email = join(session, ours, "Ada Lovelace")
        other, _ = join(session, theirs, "Ada Lovelace")
        for tenant in tenants:
            session.merge(
                RetentionRules(
                    project_id=tenant.project_id, version=1, updated_by="Ada Lovelace",
                    updated_at=NOW,
                )
            )  # fmt: skip
        session.add(
            Invitation(
                organization_id=ours.organization_id, email=email, role="viewer",
                invited_by="Grace", created_at=NOW, expires_at=NOW,
            )
        )  # fmt: skip
        session.add(LoginFailure(email=email, address="192.0.2.1", known_address=False, at=NOW))
        session.add(JoiningAsk(email=email, address="192.0.2.1", at=NOW))
        entries = {
            "own": note(session, ours, "Ada Lovelace", person_id=ada, address="192.0.2.1"),
            "by_name": note(session, ours, "Ada Lovelace"),
            "of_her": note(session, ours, "Grace", subject=f"{email} is {email.upper()}"),
            "inside": note(
                session, ours, "Grace", details={"before": [{"owner": "Ada Lovelace"}], "n": 1}
            ),
            "namesake": note(session, theirs, "Ada Lovelace", person_id=other),
        }
    return ada, email, entries


def test_what_she_did_stays_under_a_pseudonym(session_factory, on_machine, tenants, ada):
    ada_id, email, entries = ada
    ours, theirs = tenants
    pseudonym = pseudonym_of(ada_id)

    looked = on_machine(email, "--dry-run")
    assert looked.returncode == 0, looked.stderr
    told = json.loads(looked.stdout)
    assert (told["pseudonym"], told["entries"], told["invitations"]) == (pseudonym, 4, 1)
    with unit_of_work(session_factory) as session:
        assert session.get(User, ada_id) is not None, "nothing was done"

    done = on_machine(email.upper())
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == told
    with unit_of_work(session_factory) as session:
        assert session.get(User, ada_id) is None
        found = {name: session.get_one(AuditEntry, one) for name, one in entries.items()}
        assert found["own"].actor == found["by_name"].actor == pseudonym
        assert found["own"].address is None
        assert found["own"].person_id == ada_id, "what she did belongs together"
        assert found["of_her"].actor == "Grace"
        assert found["of_her"].subject == f"{pseudonym} is {pseudonym}"
        assert found["inside"].details == {"before": [{"owner": pseudonym}], "n": 1}
        assert found["namesake"].actor == "Ada Lovelace"
        rules = {
            tenant: session.get_one(RetentionRules, tenant.project_id).updated_by
            for tenant in (ours, theirs)
        }
        assert rules == {ours: pseudonym, theirs: "Ada Lovelace"}
        for table in (Invitation, LoginFailure, JoiningAsk):
            assert not session.scalars(select(table.id).where(table.email == email)).all()
        (entry,) = session.scalars(
            select(AuditEntry).where(AuditEntry.action == "person.forgotten")
        )
        assert (entry.actor, entry.subject) == ("installation", pseudonym)
        assert entry.project_id == ours.project_id
        everything = session.scalars(select(AuditEntry)).all()
        mine = [one for one in everything if one.project_id == ours.project_id]
        assert email not in json.dumps([[one.subject, one.details] for one in mine]).lower()
    again = on_machine(email)
    assert (again.returncode, "nobody here has the address" in again.stderr) == (4, True)


def test_where_a_namesake_is_names_alone_stay(owning, tenants):
    ours, _ = tenants
    with unit_of_work(owning) as session:
        one, email = join(session, ours, "Kim")
        join(session, ours, "Kim")
        session.merge(
            RetentionRules(project_id=ours.project_id, version=1, updated_by="Kim", updated_at=NOW)
        )
        own = note(session, ours, "Kim", person_id=one)
        whose = note(session, ours, "Kim")
        found = ForgettingService(session, SystemClock()).forget(email)
        assert len(found.left) == 1
        session.expire_all()
        assert session.get_one(AuditEntry, own).actor == pseudonym_of(one), "told by the id"
        assert session.get_one(AuditEntry, whose).actor == "Kim"
        assert session.get_one(RetentionRules, ours.project_id).updated_by == "Kim"
        session.rollback()


def test_the_last_owner_is_not_forgotten(session_factory, on_machine, tenants):
    _, theirs = tenants
    with unit_of_work(session_factory) as session:
        owners = session.scalars(
            select(Membership).where(
                Membership.organization_id == theirs.organization_id, Membership.role == "owner"
            )
        ).all()
        email = session.get_one(User, owners[0].user_id).email
        assert len(owners) == 1
    refused = on_machine(email)
    assert refused.returncode == 4
    assert "has no other owner: make somebody else one first" in refused.stderr
    for wrong in ((), ("a@example.test", "b@example.test"), ("a@example.test", "--now")):
        assert on_machine(*wrong).returncode == 2


def test_every_column_that_tells_a_name_is_known(session_factory):
    with unit_of_work(session_factory) as session:
        told = {
            f"{one.name}.{list(one.columns)[-1].name}"
            for one in ForgettingService(session, SystemClock())._told()
        }
    assert told >= {
        "campaigns.requested_by", "campaigns.accepted_by", "annotations.author",
        "annotations.removed_by", "experiments.owner_name", "experiment_revisions.author_name",
        "challenges.raised_by", "vendor_replies.withdrawn_by", "alert_events.actor",
        "deleted_campaigns.deleted_by", "kept_campaigns.kept_by", "api_tokens.created_by",
        "invitations.invited_by", "organization_quotas.updated_by",
    }  # fmt: skip


def test_the_applications_login_may_not(session_factory, tenants):
    ours, _ = tenants
    with unit_of_work(session_factory) as session:
        one, email = join(session, ours, "Joan")
        with pytest.raises(Forbidden, match="WEIGHHOUSE_OWNER_DATABASE_URL"):
            ForgettingService(session, SystemClock()).forget(email)
        assert session.get(User, one) is not None
