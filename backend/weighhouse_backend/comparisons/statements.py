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
    for campaign_id in dict.fromkeys(side.campaign.id for side in sides):
        of_campaign = [side for side in sides if side.campaign.id == campaign_id]
        first = of_campaign[0]
        shown = {side.target.name for side in of_campaign}
        for one in disclosure.disclaimers_of(
            [first.campaign.project_id], first.document, shown, campaign_id
        ):
            said.setdefault((one.id, one.text), one)
    return [*said.values(), *checks_as_disclaimers(found)]
