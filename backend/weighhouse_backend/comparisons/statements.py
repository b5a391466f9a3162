"""What must stand beside the numbers of sides."""

from collections.abc import Sequence

from weighhouse_backend.comparisons.sides import Side
from weighhouse_backend.disclosure.schemas import DisclaimerRead
from weighhouse_backend.disclosure.service import DisclosureService
from weighhouse_backend.findings.examination import checks_as_disclaimers
from weighhouse_backend.findings.schemas import FindingRead


def statements(
    disclosure: DisclosureService, sides: Sequence[Side], found: Sequence[FindingRead]
) -> list[DisclaimerRead]:
    """Of the systems and experiments of the sides, each once; then what checks found."""
    said: dict[tuple[str, str], DisclaimerRead] = {}
    documents = {
        side.campaign.revision_id: (side.campaign.project_id, side.document) for side in sides
    }
    for revision_id, (project_id, document) in documents.items():
        shown = {side.target.name for side in sides if side.campaign.revision_id == revision_id}
        for one in disclosure.disclaimers_of([project_id], document, shown):
            said.setdefault((one.id, one.text), one)
    return [*said.values(), *checks_as_disclaimers(found)]
