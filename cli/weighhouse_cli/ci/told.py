"""What a gate has to tell, in the words that every form of it shares."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from weighhouse_protocol.percent import percent, signed_percent
from weighhouse_protocol.text import in_one_line
from weighhouse_protocol.verdicts import verdict_words

State = Literal["passed", "failed", "undecided", "error"]
STATES: Mapping[str, State] = {
    "better": "passed", "equivalent": "passed", "not_worse": "passed",
    "worse": "failed", "failed": "failed",
    "unclear": "undecided", "missing": "undecided",
    "not_comparable": "error",
}  # fmt: skip
"""Of a cell, by its outcome."""
BY_EXIT_CODE: Mapping[int, State] = {
    0: "passed", 1: "failed", 2: "undecided", 3: "error", 4: "error",
}  # fmt: skip
"""Of a gate."""
GRAVITY: Sequence[State] = ("failed", "error", "undecided", "passed")


@dataclass(frozen=True)
class ToldCell:
    """One cell of a gate."""

    target: str
    cell: str
    """Workload and load: `balanced, 16 clients`."""
    metric: str
    outcome: str
    """In words: `not worse`."""
    state: State
    change: str
    """`−11.0 % [−12.0 %, −10.0 %]`; empty where nothing was compared."""
    why: str
    """What is to be said beside it; empty: nothing."""


@dataclass(frozen=True)
class Told:
    """A gate's verdict with what has to stand beside it."""

    experiment: str
    """Its name."""
    mark: str
    """By which its comment is found again: one for each experiment of a project."""
    number: int
    page: str
    verdict: str
    """In words."""
    state: State
    exit_code: int
    message: Sequence[str]
    """Line by line; the first says what differs, and what came of it."""
    threshold: str
    runs: int
    failed: int
    cells: Sequence[ToldCell]
    """The gravest first."""
    caveats: Sequence[tuple[str, str]]
    """Severity and title of each, the gravest first, as pages list them."""


def told_of(campaign: Mapping[str, Any], gate: Mapping[str, Any]) -> Told:
    """A gate as the API gives it, in words.

    :param campaign: of `GET /campaigns/{id}`.
    :param gate: of `GET /campaigns/{id}/gate`.
    """
    compared: dict[tuple[str, ...], Any] = {
        (one["side"], one["workload"], one["load_level"]["label"], one["metric"]): one
        for one in gate["comparisons"]
    }
    cells = [
        _cell(one, f"{gate['campaign_id']}~{one['target']}", compared) for one in gate["cells"]
    ]
    code = int(gate["exit_code"])
    slug = campaign["experiment"]["slug"]
    return Told(
        experiment=in_one_line(campaign["experiment"]["name"]),
        mark=f"<!-- weighhouse gate: {campaign['project_id']} {slug} -->",
        number=int(campaign["number"]),
        page=str(gate["link"]),
        verdict=verdict_words(str(gate["verdict"])),
        state=BY_EXIT_CODE[code],
        exit_code=code,
        message=[line for line in str(gate["message"]).splitlines() if line.strip()],
        threshold=percent(gate["threshold_percent"] / 100, None),
        runs=int(campaign["runs"]["total"]),
        failed=int(campaign["runs"]["failed"]),
        cells=sorted(cells, key=lambda one: GRAVITY.index(one.state)),
        # One that is bound to each of several sides is one to who reads titles.
        caveats=list(
            dict.fromkeys((one["severity"], in_one_line(one["title"])) for one in gate["caveats"])
        ),
    )


def _cell(one: Mapping[str, Any], side: str, compared: Mapping[tuple[str, ...], Any]) -> ToldCell:
    load = one["load_level"]["label"]
    found = compared.get((side, one["workload"], load, one["metric"]))
    change = ""
    if found is not None:
        low, high = signed_percent(found["low"]), signed_percent(found["high"])
        change = f"{signed_percent(found['relative'])} [{low}, {high}]"
    return ToldCell(
        target=in_one_line(one["target"]),
        cell=in_one_line(f"{one['workload']}, {load}"),
        metric=str(one["metric"]),
        outcome=verdict_words(str(one["outcome"])),
        state=STATES[one["outcome"]],
        change=change,
        why=_why(one),
    )


def _why(one: Mapping[str, Any]) -> str:
    if one["taken_back"]:
        return "seemed worse, and not when it was measured again"
    return {
        "anchor": "small steps add up since the anchor",
        "failures": "more failures than before",
    }.get(one["stopped_by"], "")
