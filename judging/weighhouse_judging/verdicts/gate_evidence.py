"""What is handed to the gate: cells by identity, with repeats in campaign, base and anchor."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from weighhouse_protocol.figures import CATALOGUE, Figure

from weighhouse_judging.identity.digests import FieldChange
from weighhouse_judging.verdicts.campaigns import PastCampaign
from weighhouse_judging.verdicts.failures import Attempts
from weighhouse_judging.verdicts.figures import Repeats
from weighhouse_judging.verdicts.noise import Floor


@dataclass(frozen=True)
class CellEvidence:
    """One cell, matched by identity: its repeats in the campaign, in the base, in the anchor."""

    identity: str
    """The digest of what was measured; opaque here."""
    label: str
    """The cell in words."""
    load_model: Literal["closed", "open"]
    candidate: Repeats
    base: Mapping[str, Repeats]
    """By campaign; empty when the base never completed the cell."""
    anchor: Mapping[str, Repeats] = field(default_factory=dict)
    again: Repeats = field(default_factory=dict)
    """What was measured a second time, since the first seemed worse; empty: nothing was."""
    place: str = ""
    """Which machines measured the candidate; empty: not known, as good as the base's."""
    places: Mapping[str, str] = field(default_factory=dict)
    """The same of campaigns of base and anchor."""
    past: Sequence[PastCampaign] = ()
    """Every completed campaign of the cell's series before this one but regressions, oldest first:
    from them is learned how much campaigns differ. Where the base's are more, from those."""
    next_to_anchor: Sequence[PastCampaign] = ()
    """The same of those nearest to the anchor in time, itself not among them: from them is learned
    whether it lies by itself."""
    floor: Floor | None = None
    candidate_attempts: Attempts | None = None
    """Default: as many as there are figures, none failed."""
    base_attempts: Attempts | None = None
    mismatches: tuple[FieldChange, ...] = ()
    """Fields in which the cell, or where it was measured, is not what the base's was."""

    @property
    def metric(self) -> Figure:
        """The figure the gate watches under this load model."""
        return CATALOGUE.primary(self.load_model)

    @property
    def course(self) -> Sequence[PastCampaign]:
        """The campaigns from which is learned how much they differ."""
        base = [
            PastCampaign(tuple(one.values()), self.places.get(name, ""))
            for name, one in self.base.items()
            if one
        ]
        return base if len(base) > len(self.past) else self.past

    def next_to(self, anchor: str) -> Sequence[tuple[float, ...]]:
        """The repeats of campaigns next to an anchor's that the same machines measured."""
        place = self.places.get(anchor, "")
        return [
            one.repeats
            for one in self.next_to_anchor
            if one.place == place and min(one.repeats, default=0.0) > 0
        ]

    @property
    def attempts(self) -> tuple[Attempts, Attempts]:
        """The base's, and the campaign's."""
        base = self.base_attempts or Attempts(sum(len(one) for one in self.base.values()))
        return base, self.candidate_attempts or Attempts(len(self.candidate))
