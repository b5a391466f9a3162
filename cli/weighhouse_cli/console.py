"""What the commands print: progress on a terminal, plain lines elsewhere, JSON when asked."""

import datetime
import json
import sys
import zoneinfo
from collections.abc import Iterable, Mapping
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.live import Live
from rich.segment import Segment
from rich.table import Table
from rich.text import Text
from weighhouse_protocol.digits import number
from weighhouse_protocol.figures import CATALOGUE, LOAD_KINDS
from weighhouse_protocol.text import escaped, numbered
from weighhouse_protocol.verdicts import verdict_words

from weighhouse_cli.client import Client


class Terminal(Console):
    """A console on which a text is a text: names of machines, messages of systems and whatever
    else comes from elsewhere neither move its cursor nor style, link or hide anything.
    """

    def __init__(self, *, stderr: bool = False) -> None:
        """:param stderr: print there."""
        super().__init__(stderr=stderr, highlight=False, markup=False, emoji=False)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """What is printed, what is not seen written out."""
        for segment in super().render(renderable, options):
            text, style, control = segment
            yield segment if control else Segment(escaped(text), style)


OUT = Terminal()
ERROR = Terminal(stderr=True)
VERDICT_STYLES = {
    "passed": "green", "equivalent": "green", "regression": "bold red", "inconclusive": "yellow",
    "infrastructure": "yellow", "refused": "red", "no_baseline": "default",
    "not_comparable": "yellow",
}  # fmt: skip


def print_json(document: Any) -> None:
    """One JSON document on standard output, for programs."""
    sys.stdout.write(escaped(json.dumps(document, indent=2, ensure_ascii=False)) + "\n")


def duration(seconds: float | None) -> str:
    """A length of time in words."""
    if seconds is None:
        return "unknown"
    whole = round(seconds)
    return f"{whole} s" if whole < 60 else f"{whole // 60} min {whole % 60:02d} s"  # noqa: PLR2004


def follow(client: Client, campaign_id: str, *, quiet: bool = False) -> dict[str, Any]:
    """Show a campaign's progress until it has ended.

    :param quiet: print nothing.
    :returns: the campaign as it ended.
    """
    campaign: dict[str, Any] = {}
    if quiet:
        *_, campaign = client.watch(campaign_id)
        return campaign
    if not OUT.is_terminal:
        shown = ""
        for campaign in client.watch(campaign_id, every=2.0):
            if (line := progress_line(campaign)) != shown:
                shown = line
                OUT.print(line)
        return campaign
    with Live(console=OUT, refresh_per_second=4) as live:
        for campaign in client.watch(campaign_id):
            live.update(_picture(campaign))
    return campaign


def _done(campaign: dict[str, Any]) -> int:
    runs = campaign["runs"]
    return int(runs["completed"] + runs["failed"] + runs["cancelled"])


def progress_line(campaign: dict[str, Any]) -> str:
    """How far a campaign is, in one line."""
    runs = campaign["runs"]
    failed = f", {runs['failed']} failed" if runs["failed"] else ""
    left = campaign.get("seconds_left")
    rest = f", about {duration(left)} left" if left else ""
    line = f"{campaign['state']}: {_done(campaign)} of {runs['total']} runs{failed}{rest}"
    return line + _decided(campaign)


def _decided(campaign: dict[str, Any]) -> str:
    rule = campaign.get("sequential")
    if not rule or not campaign.get("looks"):
        return ""
    cells, saved = len(campaign["cells"]), rule["blocks_saved"]
    return f"; {rule['cells_decided']} of {cells} cells decided, {saved} blocks saved"


def _picture(campaign: dict[str, Any]) -> Table:
    done, total = _done(campaign), max(1, campaign["runs"]["total"])
    width = 40
    filled = round(width * done / total)
    bar = Text("━" * filled, style="yellow") + Text("─" * (width - filled), style="dim")
    grid = Table.grid(padding=(0, 2))
    grid.add_row(bar, progress_line(campaign))
    matrix = Table.grid(padding=(0, 2))
    for target in campaign["targets"]:
        cells = [cell for cell in campaign["cells"] if cell["target"] == target["name"]]
        row = Text("".join(_mark(cell) for cell in cells))
        matrix.add_row(Text(target["label"] or target["name"], style=target["colour"]), row)
    outer = Table.grid()
    outer.add_row(grid)
    outer.add_row(matrix)
    return outer


def _mark(cell: dict[str, Any]) -> str:
    marks = {"completed": "■", "failed": "✗", "running": "◧", "settling": "◧", "allocated": "◧"}
    return "".join(marks.get(run["status"], "·") for run in cell["runs"]) + " "


def show_so_far(shown: dict[str, Any]) -> None:
    """Over figures of which more may come: of how many runs they are. Nothing over others.

    :param shown: what has a `completeness`.
    """
    if words := shown["completeness"]["words"]:
        OUT.print(words, style="bold cyan", soft_wrap=True)


def show_medians(comparison: dict[str, Any]) -> None:
    """The comparison's medians as a table, throughput and p99 by workload and load level; then what
    they come to, and what has to stand beside the figures.
    """
    show_so_far(comparison)
    table = Table(box=None, padding=(0, 2), header_style="dim")
    table.add_column("workload")
    table.add_column("load")
    sides = comparison["sides"]
    for side in sides:
        table.add_column(
            Text(f"{side['mark']} {side['label']}", style=side["colour"]), justify="right"
        )
    cells = {
        (cell["side"], cell["workload"], cell["load_level"]["label"]): cell
        for cell in comparison["cells"]
    }
    for workload in comparison["workloads"]:
        for level in comparison["load_levels"]:
            row = [_figures(cells.get((side["key"], workload, level["label"]))) for side in sides]
            table.add_row(workload, level["label"], *row)
    OUT.print(table)
    show_headline(comparison["headline"])
    _show_readings(comparison)
    show_caveats(comparison["caveats"], {side["key"]: side["label"] for side in sides})


TONE_STYLES = {"told": "bold", "open": "default", "caution": "yellow", "bad": "bold red"}


def show_headline(headline: dict[str, Any]) -> None:
    """Who leads, how sure that is, and how much failed, in the words of pages and letters."""
    OUT.print()
    OUT.print(Text(headline["sentence"], style=TONE_STYLES[headline["tone"]]), soft_wrap=True)
    if headline["sure"]:
        OUT.print(Text(f"How sure: {headline['sure']}"), soft_wrap=True)
    if headline["failed"]:
        OUT.print(Text(f"{headline['failed']}.", style="red"), soft_wrap=True)


def badge_of(headline: dict[str, Any] | None) -> Text:
    """A headline in a few words, with what failed where they do not say it."""
    if headline is None:
        return Text("")
    badge, failed = headline["badge"], headline["failed"]
    more = f"; {failed}" if failed and failed.lower() not in badge.lower() else ""
    return Text(f"{badge}{more}", style=TONE_STYLES[headline["tone"]])


def _show_readings(comparison: dict[str, Any]) -> None:
    """A sentence a side: what may be said of it against its baseline."""
    sides = {side["key"]: side for side in comparison["sides"]}
    if comparison["readings"]:
        OUT.print()
    for one in comparison["readings"]:
        side = sides[one["side"]]
        said = Text.assemble(
            "  ",
            (f"{side['mark']} {side['label']}", f"bold {side['colour']}"),
            f" {one['sentence']}",
        )
        OUT.print(said, soft_wrap=True)


SEVERITY_STYLES = {"note": "dim", "caution": "yellow", "bar": "bold red"}


def show_caveats(caveats: list[dict[str, Any]], sides: Mapping[str, str] | None = None) -> None:
    """What has to stand beside figures, as it comes: the gravest first, in full where it bars them
    from use, else in short with the sides, where not all, and the runs that it concerns.

    :param sides: the label of each, by its key.
    """
    if caveats:
        many = "1 caveat" if len(caveats) == 1 else f"{len(caveats)} caveats"
        OUT.print(f"\n{many}", style="dim")
    for one in caveats:
        runs = f" · {one['runs_count']} of {one['runs_of']} runs" if one["runs_of"] > 1 else ""
        bars = one["severity"] == "bar"
        named = [sides[key] for key in one["sides"] if key in sides] if sides else []
        whom = f" · {', '.join(named)}" if named else ""
        text = (f"{one['title']}: {one['text']}" if bars else one["short"]) + whom + runs
        style = SEVERITY_STYLES[one["severity"]]
        OUT.print(f"  {text}", style=style, soft_wrap=True, markup=False, highlight=False)


def _figures(cell: dict[str, Any] | None) -> str:
    """What a cell was measured for: the figures that loads leave free."""
    known = [
        (one, cell["figures"][one.name])
        for one in map(CATALOGUE.primary, LOAD_KINDS)
        if cell is not None and one.name in cell["figures"]
    ]
    if len(known) < len(LOAD_KINDS):
        return "–"
    return "  ".join(
        f"{number(told['median'])} op/s"
        if one.scale == "rate"
        else f"{one.short} {number(told['median'])} {one.unit}"
        for one, told in known
    )


OUTCOME_STYLES = {
    "started": "green", "waiting": "yellow", "skipped": "dim", "missed": "yellow",
    "replaced": "dim", "failed": "bold red",
}  # fmt: skip


def show_schedule(schedule: dict[str, Any], occurrences: list[dict[str, Any]]) -> None:
    """A schedule, its next dates, and what became of those before."""
    state = "" if schedule["enabled"] else ", switched off"
    OUT.print(f"{schedule['cron']}  {schedule['time_zone']}{state}", markup=False)
    OUT.print(f"overlap {schedule['overlap']}, missed dates {schedule['missed']}", style="dim")
    if schedule["problem"]:
        OUT.print(schedule["problem"], style="red", soft_wrap=True, markup=False)
    table = Table(box=None, padding=(0, 2), header_style="dim")
    for column in ("date", "what became of it", "campaign", "why"):
        table.add_column(column, no_wrap=column != "why")
    zone = _zone(schedule["time_zone"])
    for date in reversed(schedule["next"]):
        table.add_row(_date(date, zone), Text("to come", style="dim"), "", "")
    for one in occurrences:
        campaign = one["campaign"]
        style = OUTCOME_STYLES.get(one["outcome"], "default")
        table.add_row(
            _dates(one, zone),
            Text(one["outcome"], style=style),
            numbered(campaign["number"]) if campaign else "",
            Text(one["reason"]),
        )
    OUT.print(table)


def _dates(occurrence: dict[str, Any], zone: datetime.tzinfo) -> str:
    last = _date(occurrence["scheduled_for"], zone)
    count = occurrence["dates_count"]
    if count == 1:
        return last
    many = f"{count:,} or more" if count >= 1000 else str(count)  # noqa: PLR2004
    return f"{_date(occurrence['first_at'], zone)} to {last} ({many})"


def _date(instant: str, zone: datetime.tzinfo) -> str:
    return datetime.datetime.fromisoformat(instant).astimezone(zone).strftime("%Y-%m-%d %H:%M %Z")


def _zone(name: str) -> datetime.tzinfo:
    """A schedule's zone; UTC for one that this machine does not know."""
    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        return datetime.UTC


def in_words(proposed: dict[str, Any]) -> str:
    """The proposal to measure the base beside the build, with what it costs."""
    unknown = "how much whole campaigns differ here is not known"
    large = "whole campaigns differ by more than the threshold here"
    why = unknown if proposed["reason"] == "unknown" else large
    return (
        f"As {why}, measure the base beside the build: `weighhouse run FILE --base "
        f"{proposed['base']} --wait --gate`, about {float(proposed['minutes']):.0f} min."
    )


def show_verdict(gate: dict[str, Any]) -> None:
    """The gate's verdict with its message and link."""
    verdict = str(gate["verdict"])
    said = Text(verdict_words(verdict), style=VERDICT_STYLES.get(verdict, "default"))
    OUT.print(Text("gate: ").append(said), end="  ")
    OUT.print(str(gate["message"]), soft_wrap=True, markup=False)
    if (proposed := gate.get("proposal")) is not None:
        OUT.print(in_words(proposed), soft_wrap=True, markup=False)
    OUT.print(str(gate["link"]), style="dim", soft_wrap=True)


def show_history(gate: dict[str, Any]) -> None:
    """By which rules a verdict was made, and the verdicts that it superseded."""
    made, now = gate["rules_version"], gate["rules_version_now"]
    if gate["judged_at"]:
        when = _date(gate["judged_at"], datetime.UTC)
        earlier = (
            "" if made == now else f"; version {now} holds today: `weighhouse rejudge` judges again"
        )
        told = f"judged {when} by version {made} of the rules{earlier}"
        OUT.print(told, style="dim", soft_wrap=True)
    for one in gate["superseded"]:
        verdict = str(one["verdict"])
        line = Text().append(verdict_words(verdict), style=VERDICT_STYLES.get(verdict, "default"))
        until = ""
        if one["superseded_at"]:
            until = f", superseded {_date(one['superseded_at'], datetime.UTC)}: "
            until += str(one["superseded_because"])
        told = f"  judged {_date(one['judged_at'], datetime.UTC)} by version "
        told += f"{one['rules_version']} of the rules"
        OUT.print()
        OUT.print(line.append(f"{told}{until}", style="dim"), soft_wrap=True)
        OUT.print(Text(str(one["message"]), style="dim"))
