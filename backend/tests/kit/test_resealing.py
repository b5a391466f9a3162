"""Sealing anew after the installation's secret was changed."""

import datetime

from sqlalchemy import select, update
from weighhouse_backend.identity.models import IdentityProvider
from weighhouse_backend.kit.db import Base
from weighhouse_backend.kit.ids import new_id
from weighhouse_backend.kit.seals import Seal
from weighhouse_backend.kit.secret_rotation import reseal, sealed_columns
from weighhouse_backend.kit.unit_of_work import unit_of_work

FORMER, PRESENT = b"the secret of last year", b"the secret of this year"


def test_every_column_that_is_named_sealed_is_found():
    named = {
        (table.name, column.name)
        for table in Base.metadata.sorted_tables
        for column in table.columns
        if "sealed" in column.name
    }
    assert named
    assert named == {(table.name, column.name) for table, column in sealed_columns()}


def stored(session):
    return session.scalar(select(IdentityProvider.client_secret_sealed))


def test_all_is_sealed_with_the_present_secret_once(session_factory, tenants):
    now = datetime.datetime.now(datetime.UTC)
    with unit_of_work(session_factory) as session:
        session.add(
            IdentityProvider(
                id=new_id(), organization_id=tenants[0].organization_id, name="Ours",
                issuer="https://login.example", client_id="weighhouse",
                client_secret_sealed=Seal(FORMER).close("hunter2"), groups_claim="groups",
                mappings=[], only_way=False, listed=False, created_at=now, updated_at=now,
            )
        )  # fmt: skip
    changed = Seal(PRESENT, [FORMER])
    with unit_of_work(session_factory) as session:
        unknown = reseal(session, Seal(PRESENT))
        assert unknown.unreadable == {"identity_providers.client_secret_sealed": 1}
        assert Seal(FORMER).open(stored(session)) == "hunter2", "nothing is lost"
        first = reseal(session, changed)
        assert (first.anew, first.unreadable) == (1, {})
    with unit_of_work(session_factory) as session:
        assert Seal(PRESENT).open(stored(session)) == "hunter2"
        kept = stored(session)
        again = reseal(session, changed)
        assert (again.present, again.anew) == (1, 0)
        assert stored(session) == kept
        session.execute(update(IdentityProvider).values(client_secret_sealed=None))
        assert reseal(session, changed).present == 0, "what is not there is passed over"
