"""What is nobody's business outside is left out of what strangers are shown. Pure."""

from weighhouse_backend.alerts.schemas import SeriesRead
from weighhouse_backend.comparisons.schemas import ComparisonRead

UNTOLD = "why is told inside"


def comparison_outside(read: ComparisonRead) -> ComparisonRead:
    """Without the words and log lines of failures: that they failed, and how many, stays."""
    cells = [
        cell.model_copy(
            update={
                "failed_runs": [
                    one.model_copy(update={"failure": None}) for one in cell.failed_runs
                ]
            }
        )
        for cell in read.cells
    ]
    return read.model_copy(update={"cells": cells})


def series_outside(read: SeriesRead) -> SeriesRead:
    """Without commits and branches, digests of machines, and what people do about its changes."""
    points = [one.model_copy(update={"git": None, "place": None}) for one in read.points]
    gaps = [one.model_copy(update={"reason": UNTOLD, "campaign_id": None}) for one in read.gaps]
    changes = [
        one.model_copy(update={"alert_id": None, "state": "untriaged"})
        for one in read.change_points
        if one.status == "confirmed"
    ]
    return read.model_copy(update={"points": points, "gaps": gaps, "change_points": changes})
