"""Tables of who may see what: things shared, members, invitations, tokens. No secret is in them."""

from collections.abc import Iterable

from weighhouse_backend.exports.list_tables import Listed, every
from weighhouse_backend.exports.tables import Column, Table
from weighhouse_backend.identity.schemas import ApiTokenRead, InvitationRead, MemberRead
from weighhouse_backend.sharing.schemas import ShareRead

SHARES = [
    Column("id"), Column("kind"), Column("of_id"), Column("title"), Column("visibility"),
    Column("has_password", "flag"), Column("state"), Column("stopped_because"), Column("shows"),
    Column("made_by"), Column("created_at", "instant"), Column("expires_at", "instant"),
    Column("revoked_by"), Column("revoked_at", "instant"), Column("seen", "integer"),
    Column("last_seen_at", "instant"),
]  # fmt: skip
MEMBERS = [
    Column("id"), Column("name"), Column("email"), Column("role"), Column("project_role"),
    Column("second_factor", "flag"),
]  # fmt: skip
INVITATIONS = [
    Column("id"), Column("email"), Column("role"), Column("project_id"), Column("invited_by"),
    Column("created_at", "instant"), Column("expires_at", "instant"),
    Column("mailed_at", "instant"),
]  # fmt: skip
TOKENS = [
    Column("id"), Column("name"), Column("prefix"), Column("role"), Column("scopes"),
    Column("created_by"), Column("personal", "flag"), Column("pipeline"),
    Column("created_at", "instant"), Column("expires_at", "instant"),
    Column("revoked_at", "instant"), Column("last_used_at", "instant"), Column("last_used_from"),
]  # fmt: skip


def shares(listed: Listed[ShareRead]) -> Table:
    """A row a thing that is or was shared; never its link, which opens it."""
    rows = (
        (
            str(one.id), one.kind, _id(one.campaign_id or one.series_id or one.report_id),
            one.title, one.visibility, one.has_password, one.state, one.stopped_because, one.shows,
            one.made_by, one.created_at, one.expires_at, one.revoked_by, one.revoked_at,
            one.seen_count, one.last_seen_at,
        )
        for one in every(listed)
    )  # fmt: skip
    return Table("shares", SHARES, rows)


def members(listed: Iterable[MemberRead]) -> Table:
    """A row a person."""
    rows = (
        (str(one.id), one.name, one.email, one.role, one.project_role, one.second_factor)
        for one in listed
    )
    return Table("members", MEMBERS, rows)


def invitations(listed: Iterable[InvitationRead]) -> Table:
    """A row an invitation that waits; never its link."""
    rows = (
        (
            str(one.id), one.email, one.role, _id(one.project_id), one.invited_by, one.created_at,
            one.expires_at, one.mailed_at,
        )
        for one in listed
    )  # fmt: skip
    return Table("invitations", INVITATIONS, rows)


def tokens(listed: Listed[ApiTokenRead]) -> Table:
    """A row a token, as its list shows it: by how it begins."""
    rows = (
        (
            str(one.id), one.name, one.prefix, one.role,
            None if one.scopes is None else ", ".join(one.scopes), one.created_by,
            one.owner_id is not None, one.pipeline, one.created_at, one.expires_at, one.revoked_at,
            one.last_used_at, one.last_used_from,
        )
        for one in every(listed)
    )  # fmt: skip
    return Table("api-tokens", TOKENS, rows)


def _id(one: object) -> str | None:
    return None if one is None else str(one)
