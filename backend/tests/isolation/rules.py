"""How operations of the API are told of, for the test of isolation."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal["public", "named", "mine", "agent", "directory", "vendor"]
Role = Literal["viewer", "member", "maintainer", "owner", "author", "operator"]
Scope = str | None
READ, EXPORT, WRITE = "results:read", "results:export", "experiments:write"
RUN, NOTES, PUBLISH = "campaigns:run", "notes:write", "publishing:write"
PRICES, ENROL, MACHINES = "prices:write", "agents:enrol", "agents:manage"
SOURCES = "sources:write"
WATCH, AUDIT, PEOPLE = "notices:manage", "audit:read", "people:manage"
SIGNED_IN = None
"""For people at their browsers: no token may."""


@dataclass(frozen=True)
class Rule:
    """How an operation is asked, and who may."""

    kind: Kind
    """`public`: says the same to everybody. `named`: names an object of a project, in address,
    query or body: others hear that there is none. `mine`: of the caller's own alone. Others
    take a token: of a machine or attempt, of a directory, of a signed link."""
    role: Role = "viewer"
    """The least that may, of what others made; below it 403. `author`: nobody else."""
    scope: Scope = SIGNED_IN
    """The one that a token takes."""
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Any = None
    gives: bool = False
    """What is asked for is more than its scope: a token with that alone does not give it."""
    by_person: bool = False
    """Tokens of projects are refused: asked with cookies."""
    shared: bool = False
    """All projects of an organization have it in common, as machines, systems and prices."""
    endless: bool = False
    """Answers for ever: a viewer's answer is looked at elsewhere."""
    viewer: frozenset[int] = frozenset()
    """What a viewer is answered where it is neither 2xx nor, for want of a role, 403."""
    others: frozenset[int] = frozenset({404})
    """What others are answered."""


FINE = frozenset(range(200, 300))


def named(scope: Scope, role: Role = "viewer", **more: Any) -> Rule:
    """Of an object that is named."""
    return Rule("named", role, scope, **more)


def of_project(scope: Scope, role: Role = "viewer", **more: Any) -> Rule:
    """Of a project that the query names."""
    query = {"project_id": "{project_id}", **more.pop("query", {})}
    return Rule("named", role, scope, query=query, **more)


def in_body(scope: Scope, role: Role = "viewer", *, body: Mapping[str, Any], **more: Any) -> Rule:
    """Of a project that the body names."""
    return Rule("named", role, scope, body={"project_id": "{project_id}", **body}, **more)


def mine(scope: Scope, role: Role = "viewer", **more: Any) -> Rule:
    """Of what the caller has, without a name."""
    return Rule("mine", role, scope, others=more.pop("others", FINE), **more)


def agent(body: Any = None, **more: Any) -> Rule:
    """Of machines."""
    return Rule("agent", body=body, others=frozenset({401}), **more)


def directory(body: Any = None) -> Rule:
    """Of an organization's directory."""
    return Rule("directory", body=body, others=frozenset({401}))


LEFT = {
    "schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"], "userName": "q@quokka.test",
    "active": False,
}  # fmt: skip
SIDE = "{campaign_id}~free"
CELL = {"workload": "balanced", "load_level": "4 clients"}
COMPARED = {"campaign": "{campaign_id}"}
NIGHTLY = {"cron": "30 3 * * *", "time_zone": "UTC"}
DOCUMENT, FILE = {"document": "{document}"}, {"file": "a", "text": ""}
SAID = {"name": "Val", "role": "CTO", "text": "It was otherwise."}
RULE: dict[str, Any] = {}
REFUSED = frozenset({422})
ASKED_FOR = {"others": REFUSED, "viewer": REFUSED}
"""The present password is asked for, whoever one is."""
EMPTY = FINE
"""A list of nothing: that no mark is in it is looked at with every answer."""
NONE_BEGUN = NOTHING_SEARCHED = NOTHING_MADE = frozenset({404})
"""No second factor, search or machine was begun: nobody finds anything there."""
