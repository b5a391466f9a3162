"""What gives somebody a power is made by a `Grant` alone, and a `Grant` by `identity/grants.py`."""

import ast
from collections.abc import Iterator

import pytest
from weighhouse_testing.tree import text_of, tracked

GIVING = "backend/weighhouse_backend/identity/grants.py"
UNASKED = {
    "founding": {
        "backend/weighhouse_backend/app/bootstrap.py",
        "backend/weighhouse_backend/identity/installation.py",
        "backend/weighhouse_backend/membership/service.py",
        "backend/weighhouse_backend/provisions/service.py",
        "worker/weighhouse_worker/seeding/seed_writer.py",
    },
    "handed_on": {
        "backend/weighhouse_backend/membership/invitations.py",
        "backend/weighhouse_backend/membership/join_requests.py",
        "backend/weighhouse_backend/sign_in/pipelines.py",
        "backend/weighhouse_backend/sign_in/provider_sign_in.py",
    },
}
"""Grants that come of no caller, and where: of the installation, and of rows that a grant made."""
CARRIES_POWER = frozenset(
    {
        "ApiToken", "Directory", "IdentityProvider", "Invitation", "JoiningDomain", "Membership",
        "PipelineTrust", "ProjectMembership", "RegistrationToken", "ReplyLink",
    }
)  # fmt: skip
"""Rows that open something to whoever holds or stands in them."""
OPENS = frozenset({"token_hash", "role"})
"""Columns of rows that do."""
WITHOUT = {
    "Agent": "enrolled by a registration token",
    "AttemptMember": "drives or serves a run",
    "LoginDevice": "lets its browser try passwords, no more",
    "LoginSession": "of who has signed in; opens what their places do",
    "VendorReply": "tells what somebody is at their company",
}
"""Those that have such a column and give nothing of themselves."""


def _sources() -> list[str]:
    parts = ("backend/weighhouse_backend/", "worker/weighhouse_worker/")
    return [name for name in tracked(".py") if name.startswith(parts)]


def _bypasses(name: str, source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id in CARRIES_POWER:
                yield f"{name}:{node.lineno}: {node.func.id}(…); say grant.row({node.func.id}, …)"
            if name not in UNASKED.get(node.func.id, {name}):
                yield f"{name}:{node.lineno}: {node.func.id}(…); ask may_give"
            if node.func.id == "Grant" and name != GIVING:
                yield f"{name}:{node.lineno}: Grant(…); ask may_give"
        stored = isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
        if stored and node.attr in {"role", "scopes"} and name != GIVING:
            yield f"{name}:{node.lineno}: .{node.attr} = …; say grant.to(row)"


def test_power_is_given_by_a_grant_alone():
    found = [one for name in _sources() for one in _bypasses(name, text_of(name))]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "planted",
    [
        "row = ApiToken(role='owner')", "place.role = 'owner'", "Grant(MemberRole.OWNER)",
        "founding(project_id=here)",
    ],
)  # fmt: skip
def test_a_way_past_it_is_seen(planted):
    assert list(_bypasses("backend/weighhouse_backend/identity/tokens.py", planted))


def test_every_row_that_opens_something_is_known():
    """A new table with a role or a token's hash is named above, as what it is."""
    found = set()
    for name in _sources():
        for node in ast.walk(ast.parse(text_of(name))):
            if not isinstance(node, ast.ClassDef):
                continue
            columns = {
                one.target.id
                for one in node.body
                if isinstance(one, ast.AnnAssign)
                and isinstance(one.target, ast.Name)
                and "Mapped" in ast.unparse(one.annotation)
            }
            if columns & OPENS:
                found.add(node.name)
    assert found - CARRIES_POWER - set(WITHOUT) == set()
    assert set(WITHOUT) <= found
