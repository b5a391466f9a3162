"""What strangers are shown, as documents: asked of the policy each time, made once for many."""

from collections.abc import Collection
from dataclasses import dataclass, replace

from pydantic import BaseModel

from weighhouse_backend.comparisons.scaling import scaling_read
from weighhouse_backend.comparisons.service import answer_read, comparison_read
from weighhouse_backend.kit.problems import NotFound
from weighhouse_backend.sharing.errors import NotShareable, ShareGone
from weighhouse_backend.sharing.frozen import FrozenService
from weighhouse_backend.sharing.openings import Opened
from weighhouse_backend.sharing.redaction import comparison_outside, series_outside
from weighhouse_backend.sharing.renderings import Renderings
from weighhouse_backend.sharing.schemas import SharedRead, SinceRead, shows
from weighhouse_backend.sharing.subjects import SubjectService
from weighhouse_backend.sharing.summaries import Summary, of_comparison, of_report, of_series


@dataclass(frozen=True)
class SharedDocuments:
    """Of something that was opened; the transaction is confined to it."""

    subjects: SubjectService
    frozen: FrozenService

    def about(self, opened: Opened, kept: Renderings) -> SharedRead:
        """What it is; raises as `insist`."""
        self.insist(opened, kept)
        share = opened.share
        since = None
        if share.stood_at is not None:
            since = SinceRead.model_validate_json(
                kept.get((share.id, "since"), lambda: _json(self.frozen.since(opened)), self.state)
            )
        return SharedRead(
            kind=share.kind,
            title=share.title,
            organization=opened.organization,
            visibility=share.visibility,
            shared_at=share.created_at,
            expires_at=share.expires_at,
            shows=shows(share.stood_at),
            stood_at=share.stood_at,
            since=since,
        )

    def comparison(self, opened: Opened, kept: Renderings) -> bytes:
        """A campaign or comparison as JSON.

        :raises NotShareable: when a series is shared.
        """
        self.insist(opened, kept)

        def make() -> bytes:
            if opened.share.stood_at is not None:
                return self.frozen.document(opened, "comparison")
            return _json(comparison_outside(comparison_read(self.subjects.comparison(opened))))

        return kept.get((opened.share.id, "comparison"), make, self.state)

    def answer(
        self, opened: Opened, kept: Renderings, figure: str | None, hidden: Collection[int]
    ) -> bytes:
        """Who leads, as JSON; raises as `comparison`.

        :raises NotShareable: also when sides are hidden of what shows what stood.
        """
        self.insist(opened, kept)

        def make() -> bytes:
            if opened.share.stood_at is not None:
                if hidden:
                    raise NotShareable("hidden: what stood was kept with all sides; leave it out")
                return self.frozen.document(opened, f"answer {figure}" if figure else "answer")
            return _json(answer_read(self.subjects.comparison(opened), figure, hidden))

        return kept.get((opened.share.id, "answer", figure, tuple(hidden)), make, self.state)

    def scaling(self, opened: Opened, kept: Renderings, *, law: bool) -> bytes:
        """How sides scale, as JSON; raises as `comparison`."""
        self.insist(opened, kept)

        def make() -> bytes:
            if opened.share.stood_at is not None:
                return self.frozen.document(opened, "scaling law" if law else "scaling")
            return _json(scaling_read(self.subjects.comparison(opened), law=law))

        return kept.get((opened.share.id, "scaling", law), make, self.state)

    def series(self, opened: Opened, kept: Renderings) -> bytes:
        """A series as JSON.

        :raises NotShareable: when something else is shared.
        """
        self.insist(opened, kept)

        def make() -> bytes:
            if opened.share.stood_at is not None:
                return self.frozen.document(opened, "series")
            return _json(series_outside(self.subjects.series_read(opened.share)))

        return kept.get((opened.share.id, "series"), make, self.state)

    def state(self) -> str:
        """Of what documents are made of, terms and all that the transaction sees."""
        repository = self.subjects.repository
        return f"{repository.terms()} {repository.state()}"

    def report(self, opened: Opened, kept: Renderings) -> bytes:
        """A report as JSON.

        :raises NotShareable: when something else is shared.
        """
        self.insist(opened, kept)
        key = (opened.share.id, "report")
        return kept.get(key, lambda: _json(self.subjects.report(opened)), self.state)

    def summary(self, opened: Opened) -> Summary:
        """In short; asked of the policy by whoever calls this.

        :raises NotFound: when it is not there any more.
        """
        share = opened.share
        if share.report_id is not None:
            return of_report(share.title)
        if share.stood_at is not None:
            then = (
                of_comparison(self.frozen.comparison(opened))
                if share.series_id is None
                else of_series(*self.frozen.series(opened))
            )
            later = tuple(self.frozen.since(opened).caveats)
            return replace(then, caveats=(*later, *then.caveats))
        if share.series_id is None:
            return of_comparison(comparison_read(self.subjects.comparison(opened)))
        read = self.subjects.series_read(share)
        return of_series(read, self.subjects.verdict_of(read))

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
