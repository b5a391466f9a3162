"""What strangers are shown, as documents: asked of the policy each time, made once for many."""

from collections.abc import Collection
from dataclasses import dataclass

from pydantic import BaseModel

from weighhouse_backend.comparisons.scaling import scaling_read
from weighhouse_backend.comparisons.service import answer_read, comparison_read
from weighhouse_backend.kit.problems import NotFound
from weighhouse_backend.sharing.errors import ShareGone
from weighhouse_backend.sharing.openings import Opened
from weighhouse_backend.sharing.redaction import comparison_outside, series_outside
from weighhouse_backend.sharing.renderings import Renderings
from weighhouse_backend.sharing.schemas import SHOWS_NOW, SharedRead
from weighhouse_backend.sharing.subjects import SubjectService
from weighhouse_backend.sharing.summaries import Summary, of_comparison, of_report, of_series


@dataclass(frozen=True)
class SharedDocuments:
    """Of something that was opened; the transaction is confined to it."""

    subjects: SubjectService

    def about(self, opened: Opened, kept: Renderings) -> SharedRead:
        """What it is; raises as `insist`."""
        self.insist(opened, kept)
        share = opened.share
        return SharedRead(
            kind=share.kind,
            title=share.title,
            organization=opened.organization,
            visibility=share.visibility,
            shared_at=share.created_at,
            expires_at=share.expires_at,
            shows=SHOWS_NOW,
        )

    def comparison(self, opened: Opened, kept: Renderings) -> bytes:
        """A campaign or comparison as JSON.

        :raises NotShareable: when a series is shared.
        """
        self.insist(opened, kept)

        def make() -> bytes:
            return _json(comparison_outside(comparison_read(self.subjects.comparison(opened))))

        return kept.get((opened.share.id, "comparison"), make)

    def answer(
        self, opened: Opened, kept: Renderings, figure: str | None, hidden: Collection[int]
    ) -> bytes:
        """Who leads, as JSON; raises as `comparison`."""
        self.insist(opened, kept)

        def make() -> bytes:
            return _json(answer_read(self.subjects.comparison(opened), figure, hidden))

        return kept.get((opened.share.id, "answer", figure, tuple(hidden)), make)

    def scaling(self, opened: Opened, kept: Renderings, *, law: bool) -> bytes:
        """How sides scale, as JSON; raises as `comparison`."""
        self.insist(opened, kept)

        def make() -> bytes:
            return _json(scaling_read(self.subjects.comparison(opened), law=law))

        return kept.get((opened.share.id, "scaling", law), make)

    def series(self, opened: Opened, kept: Renderings) -> bytes:
        """A series as JSON.

        :raises NotShareable: when something else is shared.
        """
        self.insist(opened, kept)

        def make() -> bytes:
            return _json(series_outside(self.subjects.series_read(opened.share)))

        return kept.get((opened.share.id, "series"), make)

    def report(self, opened: Opened, kept: Renderings) -> bytes:
        """A report as JSON; made anew whenever the terms are others.

        :raises NotShareable: when something else is shared.
        """
        self.insist(opened, kept)
        key = (opened.share.id, "report", self.subjects.repository.terms())
        return kept.get(key, lambda: _json(self.subjects.report(opened)))

    def summary(self, opened: Opened) -> Summary:
        """In short; asked of the policy by whoever calls this.

        :raises NotFound: when it is not there any more.
        """
        share = opened.share
        if share.report_id is not None:
            return of_report(share.title)
        if share.series_id is None:
            return of_comparison(comparison_read(self.subjects.comparison(opened)))
        read = self.subjects.series_read(share)
        last = next((one for one in reversed(read.points) if not one.off_main_line), None)
        verdict = None
        if last is not None:
            verdict = self.subjects.repository.verdict_of(last.campaign_id)
        return of_series(read, verdict)

    def insist(self, opened: Opened, kept: Renderings) -> None:
        """Ask the policy. What it allowed stands until anything changes that it rests on.

        :raises PublicationRefused: when the terms do not allow it (any more).
        :raises ShareGone: when it is not there any more.
        """
        share = opened.share

        def ask() -> bytes:
            try:
                self.subjects.require(share)
            except NotFound as error:
                raise ShareGone from error
            return b""

        kept.get((share.id, "may", self.subjects.repository.terms()), ask)


def _json(read: BaseModel) -> bytes:
    return read.model_dump_json().encode()
