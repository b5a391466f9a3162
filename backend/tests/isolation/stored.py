"""A tenant with an object of every kind, and everybody who must not have them."""

import datetime
import hashlib
import itertools
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from fastapi.testclient import TestClient
from sqlalchemy import Connection, text
from sqlalchemy.orm import Session
from weighhouse_backend.alerts.models import Alert
from weighhouse_backend.bundles.models import KeptReproduction
from weighhouse_backend.directories.models import Directory
from weighhouse_backend.gates.settlement import CampaignSettlementService
from weighhouse_backend.identity.access import CSRF_HEADER
from weighhouse_backend.identity.cookie_names import SESSION
from weighhouse_backend.identity.factor_models import Passkey, SecondFactor
from weighhouse_backend.identity.models import (
    ApiToken,
    IdentityProvider,
    Invitation,
    LoginSession,
    Membership,
    PipelineTrust,
    Project,
    User,
)
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.identity.secrets import new_token, token_hash, token_prefix
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.membership.domain_models import JoiningDomain
from weighhouse_backend.notices.models import Notice, NoticeDelivery, NoticeEntry
from weighhouse_backend.quotas.models import ProjectQuotas
from weighhouse_backend.retention.models import RetentionRules

from backend.tests.conftest import Tenant
from backend.tests.disclosure.policed import DOCUMENT, REASON, manifests
from backend.tests.results.laboratory import Laboratory, experiment
from backend.tests.results.reports import FACTS, whole_run
from backend.tests.sources.published import study

MARK = "quokka"
"""Stands in the names of what is looked at, and nowhere else."""
ARTIFACT = b"a file of a run"
SHA256 = hashlib.sha256(ARTIFACT).hexdigest()
_made = itertools.count()
LONG_AGO = datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)


@dataclass(frozen=True)
class Access:
    """Somebody with a person's login and a token of a project."""

    project_id: UUID
    user_id: UUID
    role: Role
    token_revoked: bool = False
    expired: bool = False


def present() -> datetime.datetime:
    """This instant: what is stored at it has not ended while a test runs."""
    return datetime.datetime.now(datetime.UTC)


def headers_of(session: Session, who: Access | None, *, by_person: bool) -> dict[str, str]:
    """How somebody calls: a fresh token or cookie, as it stands with them."""
    if who is None:
        return {}
    if by_person:
        cookie = new_token("s")
        if not who.token_revoked:  # a login that was ended is gone
            used = LONG_AGO if who.expired else present()
            session.add(
                LoginSession(
                    user_id=who.user_id, token_hash=token_hash(cookie), created_at=used,
                    last_used_at=used,
                )
            )  # fmt: skip
        return {"Cookie": f"{SESSION}={cookie}", CSRF_HEADER: "1"}
    token = new_token("p")
    session.add(
        ApiToken(
            project_id=who.project_id, name=f"token {next(_made)}", role=who.role,
            prefix=token_prefix(token), token_hash=token_hash(token), created_by="test",
            created_at=present(), expires_at=LONG_AGO if who.expired else None,
            revoked_at=present() if who.token_revoked else None,
        )
    )  # fmt: skip
    return {"Authorization": f"Bearer {token}"}


def person(session: Session, organization_id: UUID, name: str, role: Role) -> UUID:
    """A member of an organization."""
    user = User(email=f"{name}@example.test", name=name, created_at=present())
    session.add(user)
    session.flush()
    session.add(
        Membership(
            organization_id=organization_id, user_id=user.id, role=role, created_at=present()
        )
    )  # fmt: skip
    return user.id


def project(session: Session, organization_id: UUID, name: str) -> UUID:
    """Another project of an organization."""
    made = Project(organization_id=organization_id, slug=name, name=name, created_at=present())
    session.add(made)
    session.flush()
    return made.id


def _measure(laboratory: Laboratory, runs: int) -> dict[str, Any]:
    """All runs of a campaign; the first stores a file and a log. Its order."""
    orders = []
    for number in range(runs):
        order = laboratory.begin()
        orders.append(order)
        if number == 0:
            for path, content, query in (
                (f"artifacts/{SHA256}", ARTIFACT, {"name": f"{MARK}.txt"}),
                ("logs/server", f"{MARK} says something\n".encode(), {"offset": 0}),
            ):
                put = laboratory.attempt(order, "PUT", path, content=content, params=query)
                assert put.is_success, put.text
        facts = FACTS | {"versions": {"agent": "0.1.0", "driver resp": "0.2.0"}}
        events = whole_run(seed=order["seed"] % 5, rate=200, facts=facts)
        laboratory.send(order, events)
        laboratory.complete(order, len(events))
        laboratory.settle(order["run_id"])
    return orders[0]


def store(laboratory: Laboratory, owner: Tenant) -> dict[str, Any]:
    """An object of every kind; what addresses and bodies name, by the names of the rules."""

    def called(method: str, path: str, **more: Any) -> Any:
        answer = laboratory.client.request(
            method, f"/api/v1{path}", headers=laboratory.headers, **more
        )
        assert answer.is_success, (method, path, answer.text)
        return answer.json() if answer.content else None

    laboratory.enrol(*manifests())
    document = experiment(MARK, **DOCUMENT)
    campaign = laboratory.campaign(document)
    order = _measure(laboratory, 6)
    laboratory.work(
        lambda services: services.get(CampaignSettlementService).settle_campaign(UUID(campaign))
    )
    saved = called("GET", f"/experiments/{MARK}")
    called(
        "POST",
        f"/experiments/{MARK}/revisions",
        json={"document": document | {"description": "second"}},
    )
    called("PUT", f"/experiments/{MARK}/schedule", json={"cron": "30 2 * * *", "time_zone": "UTC"})
    run = order["run_id"]
    series = called("GET", "/series")["items"][0]["id"]
    note = called(
        "POST",
        "/annotations",
        json={"subject": {"kind": "run", "run_id": run}, "text": f"{MARK} noted"},
    )
    of = f"/campaigns/{campaign}"
    consent = called(
        "POST",
        f"{of}/consents",
        json={
            "system_id": "redis",
            "given_by": MARK,
            "covers": "everything",
            "given_on": "2026-11-20",
            "document_url": "https://example.test/consent",
        },
    )
    override = called(
        "POST",
        f"{of}/overrides",
        json={
            "system_id": "memcached",
            "audience": "others",
            "reason": REASON,
        },
    )
    link = called(
        "POST",
        f"{of}/reply-links",
        json={
            "system_id": "redis",
            "for_whom": f"{MARK}@vendor.test",
        },
    )
    said = laboratory.client.post(
        "/api/v1/reply",
        json={"name": MARK, "role": "CTO", "text": f"{MARK} says it was so."},
        headers={"Authorization": f"Bearer {link['url'].rpartition('#')[2]}"},
    )
    assert said.is_success, said.text
    challenge = called("POST", f"{of}/challenges", json={"text": f"{MARK} doubts these figures."})
    shared = called(
        "POST",
        "/shares",
        json={"campaign_id": campaign, "title": MARK, "visibility": "organization"},
    )
    published = called("POST", "/published-sources", json=study(title=MARK))
    sources = [{"name": "campaign", "campaign_id": campaign}]
    begun = {"project_id": str(owner.project_id), "title": MARK, "sources": sources}
    report = called("POST", "/reports", json=begun)
    called("POST", f"/reports/{report['id']}/editions")
    token = called("POST", "/api-tokens", json={"name": MARK})
    channel = called(
        "POST",
        "/notices/channels",
        json={
            "project_id": str(owner.project_id),
            "kind": "webhook",
            "name": MARK,
            "address": "https://hooks.example/x",
        },
    )
    rejudged = called("POST", "/rejudgements", json={"campaigns": [campaign], "dry_run": True})
    with unit_of_work(laboratory.sessions) as session:
        alert = Alert(
            project_id=owner.project_id, kind="missed_run", experiment_id=UUID(saved["id"]),
            details={"times": 1, "first_at": None, "last_at": None, "reason": MARK},
            raised_at=present(), state_at=present(),
        )  # fmt: skip
        asked = Invitation(
            organization_id=owner.organization_id, email=f"{MARK}@example.test", role="viewer",
            invited_by="test", created_at=present(),
            expires_at=present() + datetime.timedelta(days=1),
        )  # fmt: skip
        domain = JoiningDomain(
            organization_id=owner.organization_id, domain=f"{MARK}.test", role="viewer",
            mailbox="postmaster", created_at=present(), expires_at=present(), mailed_at=present(),
        )  # fmt: skip
        session.add(domain)
        session.add(
            Directory(
                organization_id=owner.organization_id, token_hash=MARK, prefix=f"{MARK} whc_",
                created_by=MARK, created_at=present(),
            )
        )  # fmt: skip
        login = LoginSession(
            user_id=owner.user_id, token_hash=token_hash(new_token("s")), created_at=present(),
            last_used_at=present(),
        )  # fmt: skip
        quotas = ProjectQuotas(
            project_id=owner.project_id, limits={}, version=1, updated_by=MARK, updated_at=present()
        )
        rules = RetentionRules(
            project_id=owner.project_id, version=1, updated_by=MARK, updated_at=present()
        )
        provider = IdentityProvider(
            organization_id=owner.organization_id, name=MARK, issuer=f"https://id.{MARK}.test",
            client_id=MARK, groups_claim="groups", mappings=[], only_way=False, listed=False,
            created_at=present(), updated_at=present(),
        )  # fmt: skip
        notice = Notice(
            project_id=owner.project_id, kind="reply", cause=MARK, title=MARK, words=MARK,
            path="/", at=present(), spread_at=present(),
        )  # fmt: skip
        trust = PipelineTrust(
            project_id=owner.project_id, name=MARK, issuer=f"https://ci.{MARK}.test", audience="a",
            conditions={"repository": f"{MARK}/a"}, role="member", scopes=["results:read"],
            lifetime_seconds=60, created_by=MARK, created_at=present(),
        )  # fmt: skip
        factor = SecondFactor(
            user_id=owner.user_id, last_step=0, wrong_codes=0, created_at=present()
        )
        again = KeptReproduction(
            project_id=owner.project_id, manifest_sha256=SHA256, campaign_id=UUID(campaign),
            reproduces_sha256=SHA256, key_sha256=SHA256, outcome="cannot_tell",
            body={
                "outcome": "cannot_tell", "because": MARK, "same_machines": True,
                "machines": [], "changes": [], "cells": [], "sides": [], "left_out": [],
            },
            added_by=MARK, created_at=present(),
        )  # fmt: skip
        session.add(again)
        session.add_all([alert, asked, login, quotas, rules, provider, notice, trust, factor])
        session.flush()
        passkey = Passkey(
            user_id=owner.user_id, name=MARK, credential_id=MARK.encode(), credential=b"", uses=0,
            created_at=present(),
        )  # fmt: skip
        session.add(passkey)
        alert_id = alert.id
        entry = NoticeEntry(project_id=owner.project_id, notice_id=notice.id, user_id=owner.user_id)
        sent = NoticeDelivery(
            project_id=owner.project_id, notice_id=notice.id, channel_id=UUID(channel["id"]),
            state="failed", attempts_count=1, next_at=present(), created_at=present(),
            ended_at=present(),
        )  # fmt: skip
        session.add_all([entry, sent])
    return {
        "campaign_id": campaign, "run_id": run, "series_id": series, "alert_id": str(alert_id),
        "annotation_id": note["id"], "agent_id": called("GET", "/agents")["items"][0]["id"],
        "token_id": token["id"], "user_id": str(owner.user_id), "experiment": saved["id"],
        "experiment_id": saved["id"], "number": 1, "from": 1, "to": 2, "study": "policed",
        "system_id": "redis", "stream": "server", "sha256": SHA256, "digest": SHA256,
        "manifest_sha256": SHA256,
        "name": "loaded",
        "rejudgement_id": rejudged["id"], "consent_id": consent["id"],
        "override_id": override["id"], "link_id": link["id"], "reply_id": said.json()["id"],
        "challenge_id": challenge["id"], "attempt_id": order["attempt_id"],
        "attempt_token": order["attempt_token"],
        "project_id": str(owner.project_id), "organization_id": str(owner.organization_id),
        "document": document, "facts": FACTS, "reason": REASON, "any": str(uuid4()),
        "invitation_id": str(asked.id), "login_id": str(login.id),
        "trust_id": str(trust.id), "passkey_id": str(passkey.id), "organization": "nobody",
        "share_id": shared["id"], "source_id": published["id"], "report_id": report["id"],
        "domain_id": str(domain.id), "account_id": str(owner.user_id), "kind": "User",
        "urn": "urn:ietf:params:scim:schemas:core:2.0:User",
        "channel_id": channel["id"], "notice_id": str(entry.id),
    }  # fmt: skip


def filled(template: Any, objects: dict[str, Any]) -> Any:
    """A rule's query or body with the objects that it names."""
    if isinstance(template, dict):
        return {name: filled(one, objects) for name, one in template.items()}
    if isinstance(template, list):
        return [filled(one, objects) for one in template]
    if isinstance(template, str) and template.startswith("{") and template.endswith("}"):
        return objects[template[1:-1]]
    return template.format_map(objects) if isinstance(template, str) else template


@dataclass
class Victim:
    """What is stored of one project, as the owner of the tables sees it."""

    connection: Connection
    project_id: UUID
    organization_id: UUID

    def __post_init__(self) -> None:
        found = self.connection.execute(
            text("SELECT table_name, column_name FROM information_schema.columns"
                 " WHERE table_schema = 'public' AND column_name IN ('project_id',"
                 " 'organization_id') OR table_name IN ('projects', 'organizations')"
                 " AND column_name = 'id'")
        ).all()  # fmt: skip
        scope: dict[str, str] = {}
        for table, column in found:
            value = self.project_id if column == "project_id" else self.organization_id
            if table == "projects":
                if column == "id":
                    scope[table] = f"id = '{self.project_id}'"
            elif column == "project_id" or table not in scope:
                scope[table] = f"{column} = '{value}'"
        # Each call has a token of its own, made by the test; all others are looked at.
        scope["api_tokens"] += " AND created_by <> 'test'"
        self._rows = " UNION ALL ".join(
            f"SELECT '{name}' AS of, to_jsonb(t) AS row FROM {name} t WHERE {where}"
            for name, where in scope.items()
        )

    def digest(self) -> dict[str, str]:
        """Of every table's rows."""
        rows = self.connection.execute(
            text(f"SELECT of, md5(string_agg(md5(row::text), '' ORDER BY md5(row::text)))"
                 f" FROM ({self._rows}) every GROUP BY of")
        ).all()  # fmt: skip
        return {row[0]: row[1] for row in rows}

    def ids(self) -> set[str]:
        """Ids of all rows."""
        found = self.connection.scalars(
            text(f"SELECT DISTINCT row ->> 'id' FROM ({self._rows}) every"
                 " WHERE length(row ->> 'id') = 36")
        )  # fmt: skip
        return set(found)


def ask(
    client: TestClient, call: tuple[str, str], rule: Any, objects: dict[str, Any],
    headers: dict[str, str],
) -> Any:  # fmt: skip
    """Carry one call out."""
    client.cookies.clear()
    method, path = call
    body = {} if rule.body is None else {"json": filled(rule.body, objects)}
    return client.request(
        method, path.format_map(objects), params=filled(dict(rule.query), objects),
        headers=headers, **body,
    )  # fmt: skip
