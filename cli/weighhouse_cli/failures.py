"""Why runs of a campaign failed."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from weighhouse_protocol import pages

from weighhouse_cli.client import Client
from weighhouse_cli.console import OUT
from weighhouse_cli.lists import every

MOST = 5
"""Reasons that are shown."""


def runs_of(client: Client, campaign_id: str) -> Iterator[dict[str, Any]]:
    """All runs of a campaign."""
    return every(client, "/runs", campaign_id=campaign_id)


def show_errors(errors: Sequence[dict[str, Any]]) -> None:
    """What failed in a run, a line each, with what was said of it first."""
    for one in errors:
        name = f"{one['operation'] or 'all operations'}, {one['kind']}".replace("_", " ")
        phase = "" if one["phase"] == "measure" else f" ({one['phase']})"
        words = f": “{one['words']}”" if one["words"] else ""
        line = f"{one['count']:,} × {name}{phase}{words}"
        OUT.print(f"  {line}", soft_wrap=True, markup=False, highlight=False)


def show_failures(client: Client, campaign_id: str) -> None:
    """Each reason once, the commonest first, with one run's page and how to see its logs."""
    counted: Counter[tuple[str, str]] = Counter()
    examples: dict[tuple[str, str], str] = {}
    for run in runs_of(client, campaign_id):
        if run["status"] != "failed":
            continue
        failure = run["failure"] or {"message": "no reason is told", "hint": ""}
        reason = (failure["message"], failure["hint"])
        counted[reason] += 1
        examples.setdefault(reason, run["id"])
    for (message, hint), times in counted.most_common(MOST):
        many = f" ({times} runs)" if times > 1 else ""
        OUT.print(f"  {message}{many}", style="red", soft_wrap=True, markup=False, highlight=False)
        if hint:
            OUT.print(f"  {hint}", soft_wrap=True, markup=False, highlight=False)
        example = examples[message, hint]
        page = pages.at(client.url, pages.run(example))
        for line in (page, f"weighhouse run show {example}", f"weighhouse run logs {example}"):
            OUT.print(f"  {line}", style="dim", soft_wrap=True, markup=False)
    if (others := len(counted) - MOST) > 0:
        OUT.print(f"  and {others} other reason{'s' if others > 1 else ''}", style="dim")
