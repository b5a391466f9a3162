"""Sharing, and taking it back; what is shared by whom, and how often it was seen."""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import segno
from pydantic import TypeAdapter
from weighhouse_protocol import pages

from weighhouse_backend.disclosure.errors import PublicationRefused
from weighhouse_backend.identity import audit
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.grants import may_give
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.identity.scopes import Scope
from weighhouse_backend.identity.secrets import hash_password
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.pages import Page, PageQuery, page_of
from weighhouse_backend.kit.problems import FieldProblem, NotFound
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.kit.signed_links import secret_of
from weighhouse_backend.search.service import SearchService
from weighhouse_backend.sharing import links
from weighhouse_backend.sharing.embeds import embed_of
from weighhouse_backend.sharing.errors import NotShareable
from weighhouse_backend.sharing.frozen import FrozenService
from weighhouse_backend.sharing.models import Share
from weighhouse_backend.sharing.openings import AUDIENCES, Opened
from weighhouse_backend.sharing.renderings import Renderings
from weighhouse_backend.sharing.repository import ShareRepository
from weighhouse_backend.sharing.schemas import PublicRead, ShareRead, ShareWrite, shows
from weighhouse_backend.sharing.subjects import SubjectService

SHARES = {"organization": Role.MEMBER, "link": Role.MEMBER, "public": Role.MAINTAINER}
"""The least role that shares so, and takes it back."""
PUBLIC = TypeAdapter(list[PublicRead])
MOST_PUBLIC = 50
"""On the front page."""


@dataclass(frozen=True)
class ShareService:
    """Shares what the policy allows."""

    repository: ShareRepository
    subjects: SubjectService
    frozen: FrozenService
    clock: Clock
    settings: Settings
    search: SearchService

    def share(self, caller: Caller, wanted: ShareWrite) -> ShareRead:
        """Share something.

        :raises NotShareable: when what is wanted does not go together.
        :raises NotFound: when it is not the caller's to see.
        :raises Forbidden: when the caller's role is too low, or its token has not the scopes.
        :raises PublicationRefused: naming each system, its clause, and what would mend it.
        :raises NoSecretKey: when links cannot be signed.
        """
        _insist_on_sense(wanted)
        subject = self.subjects.wanted(caller, wanted)
        caller.require(subject.project_id, SHARES[wanted.visibility])
        self.subjects.publication.require(subject.leaving, AUDIENCES[wanted.visibility])
        opens = [Scope.PUBLISHING_WRITE, Scope.RESULTS_READ]
        grant = may_give(caller, Role.VIEWER, opens, project_id=subject.project_id)
        secret_of(self.settings)
        now = self.clock.now()
        ends = None
        if wanted.days is not None:
            ends = (now + datetime.timedelta(days=wanted.days)).replace(microsecond=0)
        password = wanted.password
        row = grant.row(
            Share,
            kind=_kind(wanted),
            campaign_id=wanted.campaign_id,
            series_id=wanted.series_id,
            report_id=wanted.report_id,
            question=None
            if wanted.comparison is None
            else wanted.comparison.model_dump(mode="json"),
            visibility=wanted.visibility,
            title=wanted.title,
            made_by=caller.name,
            created_at=now,
            expires_at=ends,
            stood_at=now if wanted.frozen else None,
            password_hash=None if password is None else hash_password(password.get_secret_value()),
        )
        self.repository.session.add(row)
        self.repository.session.flush()
        if wanted.frozen:
            self.frozen.keep(Opened(row, organization=""))
        self.note(caller.name, row, "share.made", days=wanted.days, frozen=wanted.frozen)
        made = self._read(row, links_too=True, stopped=None)
        picture = segno.make(self.address_of(row), error="m", micro=False)
        code = picture.svg_data_uri(scale=5, border=4, light="#fff")
        return made.model_copy(update={"qr_code": code})

    def listed(self, caller: Caller, project_id: UUID, query: PageQuery) -> Page[ShareRead]:
        """All that is and was shared of a project, newest first; links for who may share.

        :raises NotFound: when the project is not the caller's.
        """
        caller.require(project_id)
        shares = caller.roles[project_id].covers(Role.MEMBER)
        page: Page[Share] = page_of(
            self.repository.session,
            self.repository.listed([project_id]),
            Share.id,
            query,
            lambda share: share,
        )
        return page.of(
            self._read(one, links_too=shares, stopped=self._stopped(one)) for one in page.items
        )

    def revoke(self, caller: Caller, share_id: UUID) -> ShareRead:
        """Take something back: its link, embeds and badge show nothing from here on. Repeatable.

        :raises NotFound: when it is not the caller's to see.
        :raises Forbidden: when the caller's role is too low.
        """
        row = self.repository.locked(share_id)
        if row is None:
            raise NotFound("nothing is shared by this id")
        caller.require(row.project_id, SHARES[row.visibility])
        if row.revoked_at is None:
            row.revoked_at, row.revoked_by = self.clock.now(), caller.name
            self.note(caller.name, row, "share.revoked", seen_count=row.seen_count)
        return self._read(row, links_too=True, stopped=None)

    def seen_by_others(self, project_id: UUID) -> dict[UUID, str]:
        """Campaigns of a project that are shared, and why in words."""
        return self.repository.seen_by_others(project_id, self.clock.now())

    def public(self, kept: Renderings, said: str = "") -> list[PublicRead]:
        """What the front page names: all that is public and may be, newest first; in a transaction
        that is not confined.

        :param said: words that titles have all of; empty: whatever they have.
        :raises Invalid: when there is no word in it, or too many.
        """
        ids = self.search.shared(said, MOST_PUBLIC) if said else None
        found = self.repository.public(self.clock.now(), MOST_PUBLIC, ids)
        key = ("public", tuple(one.id for one in found), self.repository.terms())
        made = kept.get(key, lambda: PUBLIC.dump_json(self._allowed(found)))
        return PUBLIC.validate_json(made)

    def _allowed(self, found: Sequence[Share]) -> list[PublicRead]:
        return [
            PublicRead(
                id=one.id,
                kind=one.kind,
                title=one.title,
                organization=self.repository.organization_of(one.project_id).name,
                shared_at=one.created_at,
                url=pages.at(self.settings.public_url, pages.public(one.id)),
            )
            for one in found
            if self._stopped(one) is None
        ]

    def _stopped(self, row: Share) -> str | None:
        """Why the terms do not allow it any more."""
        if row.revoked_at is not None or self._has_ended(row):
            return None
        try:
            self.subjects.require(row)
        except PublicationRefused as refused:
            return refused.detail
        except NotFound:
            return "what it showed is not there any more"
        return None

    def _has_ended(self, row: Share) -> bool:
        return row.expires_at is not None and row.expires_at <= self.clock.now()

    def _read(self, row: Share, *, links_too: bool, stopped: str | None) -> ShareRead:
        if row.revoked_at is not None:
            state = "revoked"
        elif self._has_ended(row):
            state = "ended"
        else:
            state = "open" if stopped is None else "stopped"
        is_public = row.visibility == "public"
        shown = state in {"open", "stopped"} and (links_too or is_public)
        named = {"state", "stopped_because", "url", "qr_code", "embed", "shows", "has_password"}
        copied = {name: getattr(row, name) for name in ShareRead.model_fields if name not in named}
        return ShareRead(
            **copied,
            has_password=row.password_hash is not None,
            state=state,
            stopped_because=stopped,
            url=self.address_of(row) if shown else None,
            embed=embed_of(row, self.settings) if is_public and state == "open" else None,
            shows=shows(row.stood_at),
        )

    def address_of(self, row: Share) -> str:
        """Where whoever is given it sees it; a link's secret is in it."""
        if row.visibility == "public" or row.expires_at is None:
            return pages.at(self.settings.public_url, pages.public(row.id))
        token = links.LINK.signed(secret_of(self.settings), row.id, row.expires_at)
        return links.LINK.address(self.settings, token)

    def note(self, actor: str, row: Share, action: str, **details: object) -> None:
        """Have what becomes of something shared stand in the audit log."""
        audit.record(
            self.repository.session,
            self.clock,
            actor=actor,
            action=action,
            subject=row.title,
            project_id=row.project_id,
            **details,
            id=str(row.id),
            kind=row.kind,
            visibility=row.visibility,
            has_password=row.password_hash is not None,
        )


def _kind(wanted: ShareWrite) -> str:
    if wanted.campaign_id is not None:
        return "campaign"
    if wanted.report_id is not None:
        return "report"
    return "series" if wanted.series_id is not None else "comparison"


def _insist_on_sense(wanted: ShareWrite) -> None:
    """:raises NotShareable: naming the field."""
    named = [wanted.campaign_id, wanted.series_id, wanted.comparison, wanted.report_id]
    problem = None
    if sum(one is not None for one in named) != 1:
        problem = ("campaign_id", "one thing is shared at a time",
                   "campaign_id, series_id, comparison or report_id")  # fmt: skip
    elif wanted.password is not None and wanted.visibility != "link":
        problem = ("password", f"{wanted.visibility} asks for no password", "visibility `link`")
    elif wanted.days is None and wanted.visibility != "public":
        problem = ("days", "a link ends", "1 to 366 days")
    if problem is not None:
        path, message, expected = problem
        raise NotShareable(
            f"{path}: {message}; {expected}",
            errors=[FieldProblem(path=path, message=message, expected=expected)],
        )
