"""The worker seals anew what a former secret of the installation sealed."""

import datetime

from pydantic import SecretStr
from sqlalchemy import select
from weighhouse_backend.identity.models import IdentityProvider, Organization
from weighhouse_backend.kit.ids import new_id
from weighhouse_backend.kit.seals import seal_of
from weighhouse_backend.kit.settings import Settings
from weighhouse_worker.tasks import TASKS
from weighhouse_worker.times import timetable
from weighhouse_worker.tools import Tools

FORMER, PRESENT = "the secret of last year", "the secret of this year"


def test_while_a_former_secret_is_named_all_is_sealed_anew(database_url):
    def settings(secret, former=None):
        return Settings(
            database_url=database_url, redis_url="redis://127.0.0.1:1/0",
            secret_key=SecretStr(secret), former_secret_keys=former and SecretStr(former),
        )  # fmt: skip

    assert "secrets.reseal" not in timetable(settings(PRESENT))
    changed = settings(PRESENT, FORMER)
    assert "secrets.reseal" in timetable(changed)
    tools = Tools(changed)
    now = datetime.datetime.now(datetime.UTC)
    organization = Organization(slug="sealed", name="Sealed", created_at=now)
    with tools.session() as session:
        session.add(organization)
        session.flush()
        session.add(
            IdentityProvider(
                id=new_id(), organization_id=organization.id, name="Ours",
                issuer="https://login.example", client_id="weighhouse", groups_claim="groups",
                client_secret_sealed=seal_of(settings(FORMER)).close("hunter2"),
                mappings=[], only_way=False, listed=False, created_at=now, updated_at=now,
            )
        )  # fmt: skip
    TASKS["secrets.reseal"].work(tools)
    with tools.session() as session:
        sealed = session.scalar(select(IdentityProvider.client_secret_sealed))
    tools.engine.dispose()
    assert seal_of(settings(PRESENT)).open(sealed) == "hunter2"
