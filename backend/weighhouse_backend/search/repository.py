"""All queries of the index. What each reads is bounded, however much is found."""

import datetime
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import Text, Uuid, bindparam, func, select, text, tuple_
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Session

from weighhouse_backend.experiments.models import Experiment
from weighhouse_backend.identity.models import Project
from weighhouse_backend.runs.models import Campaign
from weighhouse_backend.search.models import SearchEntry

LAST = "\U0010ffff"
"""Behind every word that begins alike."""
MOST_CANDIDATES = 3_000
"""Rows of the index that a question looks at by its rarest word, shared by kinds and projects."""
LEAST_CANDIDATES = 25
NIGHTS = 30

_TERMS = text(
    "SELECT chunk[1] FROM regexp_matches("
    "lower(:said), '[[\\:alnum\\:]]+(?:\\.[[\\:alnum\\:]]+)*', 'g')"
    " WITH ORDINALITY AS every (chunk, place) ORDER BY place"
)
_WORDS = """
    FROM unnest(:projects) AS p (id) CROSS JOIN unnest(:kinds) AS k (kind) CROSS JOIN LATERAL (
      SELECT w.word, w.subject_id FROM search_words w
      WHERE w.project_id = p.id AND w.kind = k.kind AND w.word >= {low} AND w.word < {high}
      ORDER BY w.word, w.subject_id DESC LIMIT :most
    ) AS f
"""
_COUNTS = f"""
    SELECT t.place, (SELECT count(*) {_WORDS.format(low="t.low", high="t.high")})
    FROM unnest(:lows, :highs) WITH ORDINALITY AS t (low, high, place) ORDER BY 2, 1 LIMIT 1
"""  # noqa: S608 - of words above
_ALSO = """
    (SELECT true FROM search_words o WHERE o.kind = {kind} AND o.subject_id = f.subject_id
      AND o.word >= :low{n} AND o.word < :high{n} LIMIT 1) IS NOT NULL
"""
"""Not EXISTS, of which a planner may look at all words there are."""
_SHARED = """
    SELECT f.subject_id FROM (
      SELECT w.subject_id FROM search_words w
      WHERE w.kind = 'share' AND w.word >= :low AND w.word < :high
      ORDER BY w.word, w.subject_id DESC LIMIT :most
    ) AS f WHERE true {also}
"""
_NIGHTS = text("""
    SELECT x.id, s.target, s.workload, s.load_label,
      ARRAY(SELECT n.value FROM (
        SELECT p.value, p.stands_at, p.campaign_id FROM series_points p
        WHERE p.series_id = s.id AND NOT p.off_main_line
        ORDER BY p.stands_at DESC, p.campaign_id DESC LIMIT :nights) AS n
        ORDER BY n.stands_at, n.campaign_id)
    FROM unnest(:experiments) AS x (id) CROSS JOIN LATERAL (
      SELECT s.id, s.target, s.workload, s.load_label FROM series s
      WHERE s.experiment_id = x.id AND s.metric = :figure ORDER BY s.id LIMIT 1) AS s
""").bindparams(bindparam("experiments", type_=ARRAY(Uuid())))


@dataclass(frozen=True, slots=True)
class Match:
    """A thing that has all words of a question."""

    kind: str
    subject_id: UUID
    word: str
    """Of its own, that the rarest word of the question begins."""


@dataclass(frozen=True, slots=True)
class Found:
    """A thing that was found, with what it is of."""

    kind: str
    subject_id: UUID
    project_id: UUID
    title: str
    text: str
    leads: dict[str, Any]
    at: datetime.datetime | None
    number: int | None
    """Of the campaign that it is, or is of."""
    experiment: str | None
    """Name of the experiment that it is of."""
    release: str | None
    requested_by: str | None
    accepted_note: str | None
    """Of the campaign that it is: what its text is made of."""


@dataclass(frozen=True, slots=True)
class Course:
    """The latest figures of an experiment's first series."""

    series: str
    values: list[float]
    """From the oldest on."""


@dataclass(frozen=True)
class SearchRepository:
    """Reads the index."""

    session: Session

    def terms(self, said: str) -> list[str]:
        """The words of a question, as the index has them; each once, in their order."""
        return list(dict.fromkeys(self.session.scalars(_TERMS, {"said": said})))

    def in_use(self, project_ids: Collection[UUID]) -> list[UUID]:
        """Projects that are not archived."""
        query = select(Project.id).where(
            Project.id.in_(list(project_ids)), Project.archived_at.is_(None)
        )
        return list(self.session.scalars(query))

    def matches(
        self, terms: Sequence[str], project_ids: Sequence[UUID], kinds: Sequence[str]
    ) -> tuple[list[Match], set[str]]:
        """Things of projects that have all terms, as beginnings of words: in each kind and project
        by the word that the rarest term begins, then the newest first.

        :returns: them, and kinds of which there may be more than were looked at.
        """
        most = max(LEAST_CANDIDATES, MOST_CANDIDATES // (len(project_ids) * len(kinds)))
        asked: dict[str, Any] = {
            "projects": list(project_ids),
            "kinds": list(kinds),
            "most": min(most, 1_000),
        }
        typed = (
            bindparam("projects", type_=ARRAY(Uuid())),
            bindparam("kinds", type_=ARRAY(Text())),
        )
        rarest = 0
        if len(terms) > 1:
            bounds = {"lows": list(terms), "highs": [one + LAST for one in terms]}
            arrays = [bindparam(name, type_=ARRAY(Text(collation="C"))) for name in bounds]
            counts = text(_COUNTS).bindparams(*typed, *arrays)
            rarest = int(self.session.execute(counts, asked | bounds).one()[0]) - 1
        also, bounds_also = _also(terms, rarest, kind="k.kind")
        words = _WORDS.format(low=":low", high=":high")
        query = text(f"SELECT p.id, k.kind, f.subject_id, f.word, {also} {words}").bindparams(
            *typed
        )
        rows = self.session.execute(
            query, asked | bounds_also | {"low": terms[rarest], "high": terms[rarest] + LAST}
        ).all()
        looked: dict[tuple[str, UUID], Match] = {}
        for _, kind, subject_id, word, fits in sorted(rows, key=lambda row: row.word):
            if fits:
                looked.setdefault((kind, subject_id), Match(kind, subject_id, word))
        looked_at = Counter((row.id, row.kind) for row in rows)
        cut = {kind for (_, kind), count in looked_at.items() if count >= asked["most"]}
        return sorted(looked.values(), key=lambda one: one.word), cut

    def shared(self, terms: Sequence[str], limit: int) -> list[UUID]:
        """Shares with the public that have all terms; in a transaction that is not confined."""
        also, bounds = _also(terms[1:], -1, kind="'share'")
        query = text(_SHARED.format(also=f"AND {also}"))
        asked = {"low": terms[0], "high": terms[0] + LAST, "most": MOST_CANDIDATES}
        return list(dict.fromkeys(self.session.scalars(query, asked | bounds)))[:limit]

    def entries(self, wanted: Collection[Match]) -> dict[tuple[str, UUID], Found]:
        """What was found, in whole."""
        if not wanted:
            return {}
        experiment_id = SearchEntry.leads["experiment_id"].astext.cast(Uuid())
        query = (
            select(
                SearchEntry,
                Campaign.number,
                Experiment.name,
                Campaign.release,
                Campaign.requested_by,
                Campaign.accepted_note,
            )
            .outerjoin(
                Campaign,
                SearchEntry.kind.in_(("campaign", "commit"))
                & (Campaign.id == SearchEntry.subject_id),
            )
            .outerjoin(
                Experiment,
                Experiment.id == func.coalesce(Campaign.experiment_id, experiment_id),
            )
            .where(
                tuple_(SearchEntry.kind, SearchEntry.subject_id).in_(
                    [(one.kind, one.subject_id) for one in wanted]
                )
            )
        )
        return {
            (row.kind, row.subject_id): Found(
                row.kind, row.subject_id, row.project_id, row.title, row.text, row.leads, row.at,
                number, name, release, by, accepted,
            )
            for row, number, name, release, by, accepted in self.session.execute(query)
        }  # fmt: skip

    def courses(self, experiment_ids: Sequence[UUID], figure: str) -> dict[UUID, Course]:
        """The latest nights of experiments, by a figure of the first cell that has it."""
        if not experiment_ids:
            return {}
        rows = self.session.execute(
            _NIGHTS,
            {"experiments": list(experiment_ids), "figure": figure, "nights": NIGHTS},
        )
        return {
            experiment_id: Course(" · ".join(named), list(values))
            for experiment_id, *named, values in rows
        }


def _also(terms: Sequence[str], without: int, *, kind: str) -> tuple[str, dict[str, str]]:
    """That a row has all terms but one, and what that is asked with."""
    others = {n: term for n, term in enumerate(terms) if n != without}
    conditions = [_ALSO.format(kind=kind, n=n) for n in others]
    bounds = {f"low{n}": term for n, term in others.items()}
    bounds |= {f"high{n}": term + LAST for n, term in others.items()}
    return " AND ".join(conditions) or "true", bounds
