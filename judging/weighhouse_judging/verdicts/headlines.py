"""What a campaign came to: a few words for a badge, and whole sentences. Pure.

The one place that says it. Badges in lists, the heads of pages, letters, webhooks and commands take
their words and figures from here; the sentences are those of `leads`, word for word. What was
measured comes first, unless half of it or more failed or was never measured: then nobody should
read a leader's name before that.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from weighhouse_protocol.figures import LoadKind

from weighhouse_judging.verdicts.lead_words import MOST_NAMED, LeadKind, subject
from weighhouse_judging.verdicts.leads import Lead

Tone = Literal["told", "open", "caution", "bad"]
"""`told`: something can be said; `open`: nobody can say; `caution`: much is missing; `bad`: half or
more failed, or the figures must not be relied on."""

GRAVE = 0.5
"""Share of runs from which on what failed is said before who leads."""


@dataclass(frozen=True)
class Runs:
    """Runs of what is told of, by how they ended; the rest is open."""

    total: int
    completed: int
    failed: int
    cancelled: int


@dataclass(frozen=True)
class Headline:
    """What a campaign came to."""

    badge: str
    """A few words: `Redis leads`, `Half failed: 15 of 30 runs`, `So far: nobody leads`."""
    tone: Tone
    so_far: bool
    """Is more of it to come?"""
    failed: str
    """How much failed, `3 of 30 runs failed`; empty where nothing did."""
    sentence: str
    """Who leads, in whole sentences: one a kind of load."""
    sure: str
    """How sure that is, without a full stop; empty where there is nothing to compare."""

    @property
    def words(self) -> str:
        """All of it, for a letter."""
        failed = f"{self.failed}." if self.failed else ""
        sure = f"How sure: {self.sure}." if self.sure else ""
        return " ".join(part for part in (self.sentence, sure, failed) if part)


def headline(
    leads: Mapping[LoadKind, Lead], labels: Mapping[str, str], runs: Runs, *, under_way: bool
) -> Headline:
    """Put what was measured and how much failed into words.

    :param leads: by kind of load; empty where no cell was planned.
    :param labels: of all sides, by key.
    :param under_way: whether more is to come.
    """
    ended = runs.completed + runs.failed if under_way else runs.total
    failed = _failed(runs.failed, ended)
    badge, tone = _badge(list(leads.values()), labels, runs, ended, failed)
    several = len(leads) > 1
    return Headline(
        badge=_begun(f"so far: {badge}" if under_way else badge, labels),
        tone=tone,
        so_far=under_way,
        failed=_begun(failed, {}),
        sentence=" ".join(_of_kind(kind, one.sentence, several) for kind, one in leads.items())
        or "Nothing was measured.",
        sure="; ".join(
            _of_kind(kind, one.sure, several, begins=False)
            for kind, one in leads.items()
            if one.sure
        ),
    )


def unreadable() -> Headline:
    """Of a campaign whose experiment cannot be read any more."""
    said = "What it asked for cannot be read, so nothing is concluded from it."
    return Headline("Cannot be read", "caution", so_far=False, failed="", sentence=said, sure="")


def _badge(
    leads: Sequence[Lead], labels: Mapping[str, str], runs: Runs, ended: int, failed: str
) -> tuple[str, Tone]:
    if runs.failed and runs.failed >= GRAVE * ended:
        return failed, "bad"
    if not runs.completed:
        return "nothing measured", "open"
    if runs.cancelled >= GRAVE * runs.total:
        return f"cut short: {runs.completed} of {runs.total} runs", "caution"
    if any(one.barred_by for one in leads):
        return "not to be relied on", "bad"
    said = list(dict.fromkeys(_short(one, labels) for one in leads))
    words = "; ".join(text for text, _ in said)
    return words, "told" if any(tone == "told" for _, tone in said) else "open"


def _short(lead: Lead, labels: Mapping[str, str]) -> tuple[str, Tone]:
    names = [labels[side] for side in lead.leaders]
    if lead.kind in _BY:
        several = len(names) > MOST_NAMED
        who = f"one of {len(names)} sides" if several else " or ".join(map(subject, names))
        return f"{who} leads{_BY[lead.kind]}", "told"
    if lead.kind == "nothing":
        return _alone(labels), "open"
    if lead.kind == "nobody" and lead.level == lead.cells:
        return "nobody leads: no difference that matters", "told"
    return _OTHERWISE[lead.kind]


_BY: Mapping[LeadKind, str] = {"leads": "", "by_load": ", by load", "by_workload": ", by workload"}
_OTHERWISE: Mapping[LeadKind, tuple[str, Tone]] = {
    "too_few": ("nobody can be said to lead", "open"),
    "by_target": ("each against its base", "told"),
    "nobody": ("nobody leads", "open"),
}


def _alone(labels: Mapping[str, str]) -> str:
    """Where no cell has figures of two sides."""
    if len(labels) == 1:
        return f"{next(iter(labels.values()))} measured"
    return "nothing to compare"


def _failed(failed: int, ended: int) -> str:
    """`half failed: 15 of 30 runs`; empty where nothing failed."""
    if not failed:
        return ""
    if failed == ended:
        return "the only run failed" if ended == 1 else f"all {ended} runs failed"
    counted = f"{failed} of {ended} runs"
    if failed == GRAVE * ended:
        return f"half failed: {counted}"
    return f"most failed: {counted}" if failed > GRAVE * ended else f"{counted} failed"


def _of_kind(kind: LoadKind, text: str, several: bool, *, begins: bool = True) -> str:
    """A text with the kind of load before it, where there is another."""
    if not several:
        return text
    loop = f"{kind} loop: {text}"
    return loop[0].upper() + loop[1:] if begins else loop


def _begun(text: str, labels: Mapping[str, str]) -> str:
    """With a capital, unless it begins with a name, which is written as it is."""
    if any(text.startswith(label) for label in labels.values() if label):
        return text
    return text[:1].upper() + text[1:]
