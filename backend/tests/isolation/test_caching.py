"""Whatever needs a login is not shown from a browser's store once there is none."""

from uuid import UUID

import pytest
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.kit.etags import ASK_AGAIN
from weighhouse_backend.kit.unit_of_work import unit_of_work

from backend.tests.described import described
from backend.tests.isolation.operations import RULES
from backend.tests.isolation.stored import Access, ask, headers_of

READ = {
    methods["get"]["operationId"]: ("GET", path)
    for path, methods in described()["paths"].items()
    if "get" in methods
}
ASKED = sorted(
    name
    for name, rule in RULES.items()
    if name in READ and rule.kind in {"named", "mine", "public"} and not rule.endless
)


@pytest.mark.parametrize("name", ASKED)
def test_an_answer_is_not_kept_or_asked_for_again_at_each_use(
    client, session_factory, tenants, objects, name: str
) -> None:
    ours = tenants[0]
    with unit_of_work(session_factory) as session:
        owner = Access(ours.project_id, UUID(objects["user_id"]), Role.OWNER)
        headers = headers_of(session, owner, by_person=RULES[name].by_person)
    answer = ask(client, READ[name], RULES[name], objects, headers)
    said = answer.headers["Cache-Control"]
    assert said in {"no-store", ASK_AGAIN}, answer.text[:200]
    if said == ASK_AGAIN and answer.status_code == 200:
        assert {"Cookie", "Authorization"} <= {
            one.strip() for one in answer.headers["Vary"].split(",")
        }
        known = {**headers, "If-None-Match": answer.headers["ETag"]}
        again = ask(client, READ[name], RULES[name], objects, known)
        assert (again.status_code, again.content) == (304, b"")
        stranger = ask(
            client, READ[name], RULES[name], objects, {"If-None-Match": answer.headers["ETag"]}
        )
        assert stranger.status_code == 401


def test_signing_out_empties_the_browsers_store(client, session_factory, tenants) -> None:
    ours = tenants[0]
    with unit_of_work(session_factory) as session:
        owner = Access(ours.project_id, ours.user_id, Role.OWNER)
        headers = headers_of(session, owner, by_person=True)
    made = client.delete("/api/v1/sessions/current", headers=headers)
    assert (made.status_code, made.headers["Clear-Site-Data"]) == (200, '"cache"')
