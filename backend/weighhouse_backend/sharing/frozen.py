"""What is shared as it stood: its documents, kept when it is shared, and what came since."""

import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, TypeAdapter

from weighhouse_backend.alerts.schemas import SeriesRead
from weighhouse_backend.comparisons.scaling import scaling_read
from weighhouse_backend.comparisons.schemas import ComparisonRead
from weighhouse_backend.comparisons.service import answer_read, comparison_read
from weighhouse_backend.disclosure.caveat_schemas import CaveatRead
from weighhouse_backend.kit.problems import Problem
from weighhouse_backend.sharing.errors import NotShareable, ShareGone
from weighhouse_backend.sharing.models import ShareDocument
from weighhouse_backend.sharing.openings import Opened
from weighhouse_backend.sharing.redaction import comparison_outside, series_outside
from weighhouse_backend.sharing.repository import ShareRepository
from weighhouse_backend.sharing.schemas import SinceRead
from weighhouse_backend.sharing.subjects import SubjectService

MOST_BYTES = 4 * 1024 * 1024
"""Of all that is kept of one thing, compressed."""
SAID = {"campaign": ("cells", "headline", "differences"), "series": ("points", "change_points")}
"""What of a document says that something changed, by kind; of a comparison as of a campaign."""
VERDICT = TypeAdapter(str | None)


@dataclass(frozen=True)
class FrozenService:
    """Keeps documents of what is shared, and gives them back as they were."""

    repository: ShareRepository
    subjects: SubjectService

    def keep(self, opened: Opened) -> None:
        """Keep what stands now of something that was just shared.

        :raises NotShareable: when it is a report, or more than MOST_BYTES.
        """
        share = opened.share
        if share.report_id is not None:
            raise NotShareable("frozen: editions of a report stay as they are; freeze one of it")
        made = dict(self._series(opened) if share.series_id else self._comparison(opened))
        packed = {name: zlib.compress(content) for name, content in made.items()}
        if sum(map(len, packed.values())) > MOST_BYTES:
            raise NotShareable(
                f"frozen: it is more than the {MOST_BYTES >> 20} MiB that are kept of one thing; "
                "share fewer sides, or what stands now"
            )
        for name, content in packed.items():
            row = ShareDocument(
                share_id=share.id, project_id=share.project_id, name=name, content=content
            )
            self.repository.session.add(row)
        self.repository.session.flush()

    def document(self, opened: Opened, name: str) -> bytes:
        """A document as it stood.

        :raises ShareGone: when it was not kept, as what no figure was asked of.
        """
        found = self.repository.document(opened.share.id, name)
        if found is None:
            raise ShareGone(f"of this nothing was kept: {name}")
        return zlib.decompress(found)

    def comparison(self, opened: Opened) -> ComparisonRead:
        """As it stood."""
        return ComparisonRead.model_validate_json(self.document(opened, "comparison"))

    def series(self, opened: Opened) -> tuple[SeriesRead, str | None]:
        """As it stood, and the verdict of its last campaign."""
        read = SeriesRead.model_validate_json(self.document(opened, "series"))
        return read, VERDICT.validate_json(self.document(opened, "verdict"))

    def since(self, opened: Opened) -> SinceRead:
        """What came since; its terms are asked by whoever calls this."""
        kind = "series" if opened.share.series_id else "comparison"
        then = json.loads(self.document(opened, kind))
        now = json.loads(self._now(opened))
        said = SAID["series" if kind == "series" else "campaign"]
        changed = any(then[name] != now[name] for name in said)
        known = [_told(one) for one in then["caveats"]]
        later = [one for one in now["caveats"] if _told(one) not in known]
        words = "What stands now is otherwise." if changed else "The figures stand as they did."
        if later:
            many = "one thing more has" if len(later) == 1 else f"{len(later)} things more have"
            words += f" Since then {many} to be known:"
        caveats = [CaveatRead.model_validate(one) for one in later]
        return SinceRead(changed=changed, words=words, caveats=caveats)

    def _now(self, opened: Opened) -> bytes:
        if opened.share.series_id is not None:
            return _json(series_outside(self.subjects.series_read(opened.share)))
        return _json(comparison_outside(comparison_read(self.subjects.comparison(opened))))

    def _comparison(self, opened: Opened) -> Iterator[tuple[str, bytes]]:
        chosen = self.subjects.comparison(opened)
        read = comparison_outside(comparison_read(chosen))
        yield "comparison", _json(read)
        yield "scaling", _json(scaling_read(chosen, law=False))
        yield "scaling law", _json(scaling_read(chosen))
        yield "answer", _json(answer_read(chosen, None, ()))
        for figure in sorted({name for cell in read.cells for name in cell.figures}):
            try:
                yield f"answer {figure}", _json(answer_read(chosen, figure, ()))
            except Problem:  # sides are not judged by it
                continue

    def _series(self, opened: Opened) -> Iterator[tuple[str, bytes]]:
        read = self.subjects.series_read(opened.share)
        yield "series", _json(series_outside(read))
        yield "verdict", VERDICT.dump_json(self.subjects.verdict_of(read))


def _told(caveat: dict[str, Any]) -> tuple[str, str]:
    return caveat["id"], caveat["text"]


def _json(read: BaseModel) -> bytes:
    return read.model_dump_json().encode()
