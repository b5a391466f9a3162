"""Who comes by a link, or to something public, and what they may see: one answer to all others."""

import datetime
from dataclasses import dataclass
from uuid import UUID

from weighhouse_backend.disclosure.schemas import Audience
from weighhouse_backend.identity.access import belongs
from weighhouse_backend.identity.secrets import password_fits
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.db import SessionFactory
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.kit.signed_links import secret_of, secrets_of
from weighhouse_backend.kit.tenancy import confine_to_shared
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.reports.series_terms import SeriesTerms
from weighhouse_backend.reports.service import ReportService
from weighhouse_backend.sharing import links
from weighhouse_backend.sharing.errors import (
    LinkLocked,
    MembersOnly,
    ShareGone,
    TooManyPasswords,
)
from weighhouse_backend.sharing.models import Share
from weighhouse_backend.sharing.repository import (
    ShareRepository,
    campaigns_named,
    sources_named,
)
from weighhouse_backend.sharing.schemas import UnlockedRead

MOST_GUESSES = 10
GUESSES_WITHIN = datetime.timedelta(hours=1)
AUDIENCES: dict[str, Audience] = {"organization": "internal", "link": "others", "public": "public"}
"""Of whom the publication policy is asked, by visibility."""


@dataclass(frozen=True)
class Opened:
    """Something shared, for whoever came to it; their transaction sees nothing else."""

    share: Share
    organization: str

    @property
    def audience(self) -> Audience:
        """For whom it is."""
        return AUDIENCES[self.share.visibility]


@dataclass(frozen=True)
class OpeningService:
    """Opens links and what is public."""

    repository: ShareRepository
    series_terms: SeriesTerms
    reports: ReportService
    clock: Clock
    settings: Settings

    def by_link(self, token: str, cookie: str, *, seen: bool = False) -> Opened:
        """What a link shows; the transaction sees it alone from here on.

        :param token: of the link, or the one that its password was exchanged for.
        :param cookie: of a login; empty: there is none.
        :param seen: count it as opened.
        :raises ShareGone: when it was not made here, has ended or was revoked; one answer, after
            the same work.
        :raises LinkLocked: when its password was not said yet.
        :raises MembersOnly: when it is for people of the organization, and the cookie is nobody's
            of them.
        """
        share, said = self._share_of(token)
        if share.password_hash is not None and not said:
            raise LinkLocked("say the password that you were given with it")
        if share.visibility == "organization":
            self._insist_on_member(share, cookie)
        return self._opened(share, seen=seen)

    def public(self, share_id: UUID, *, seen: bool = False) -> Opened:
        """Something public; the transaction sees it alone from here on.

        :raises ShareGone: when there is nothing public by this id.
        """
        share = self.repository.share(share_id)
        if share is None or share.visibility != "public" or not self._is_open(share):
            raise ShareGone("ask whoever sent you here for another address")
        return self._opened(share, seen=seen)

    def unlock(self, sessions: SessionFactory, token: str, password: str) -> UnlockedRead:
        """Exchange a link's token and its password for one that opens it for some hours.

        A guess is counted before it is known to be wrong, in a transaction of its own.

        :raises ShareGone: as `by_link`.
        :raises LinkLocked: when the password is wrong.
        :raises TooManyPasswords: after MOST_GUESSES wrong ones within an hour.
        """
        share, _ = self._share_of(token)
        now = self.clock.now()
        with unit_of_work(sessions) as session:
            row = ShareRepository(session).locked(share.id)
            if row is None:
                raise ShareGone
            if row.guesses_since is None or now - row.guesses_since > GUESSES_WITHIN:
                row.guesses, row.guesses_since = 0, now
            if row.guesses >= MOST_GUESSES:
                raise TooManyPasswords("ask whoever sent you the link, or come again in an hour")
            row.guesses += 1
        if not password_fits(share.password_hash, password):
            raise LinkLocked("this is not its password")
        with unit_of_work(sessions) as session:
            row = ShareRepository(session).locked(share.id)
            if row is not None:
                row.guesses = max(0, row.guesses - 1)
        ends = now + links.UNLOCKED_LASTS
        if share.expires_at is not None:
            ends = min(ends, share.expires_at)
        signed = links.UNLOCKED.signed(secret_of(self.settings), share.id, ends)
        return UnlockedRead(token=signed, expires_at=ends)

    def _share_of(self, token: str) -> tuple[Share, bool]:
        """The share of a token, and whether its password was said."""
        keys, now = secrets_of(self.settings), self.clock.now()
        plain = links.read(links.LINK, keys, token, now)
        unlocked = links.read(links.UNLOCKED, keys, token, now)
        said = plain == links.NOBODYS
        share = self.repository.share(unlocked if said else plain)
        if share is None or share.visibility == "public" or not self._is_open(share):
            raise ShareGone("ask whoever sent you the link for another")
        return share, said

    def _is_open(self, share: Share) -> bool:
        return share.revoked_at is None and (
            share.expires_at is None or share.expires_at > self.clock.now()
        )

    def _insist_on_member(self, share: Share, cookie: str) -> None:
        organization = self.repository.organization_of(share.project_id)
        hours = self.settings.session_hours
        if not belongs(self.repository.session, cookie, organization.id, hours):
            raise MembersOnly("sign in here as somebody of the organization, then open it again")

    def _opened(self, share: Share, *, seen: bool) -> Opened:
        if seen:
            self.repository.note_seen(share.id, self.clock.now())
        organization = self.repository.organization_of(share.project_id).name
        campaigns = campaigns_named(share)
        if share.series_id is not None:
            campaigns = self.series_terms.campaign_ids(share.series_id)
        if share.report_id is not None:
            campaigns = self.reports.campaign_ids(share.report_id)
        confine_to_shared(
            self.repository.session, share.id, share.project_id, campaigns, sources_named(share)
        )
        return Opened(share, organization)
