"""All that a platform tells of what it holds, and where another one tells it differently."""

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Any

from upgrade.releases import Serving, say

LISTS = {
    "campaigns": "campaign_id", "runs": "run_id", "experiments": "experiment",
    "series": "series_id", "alerts": "alert_id", "agents": "agent_id", "studies": "study",
    "systems": "system_id",
}  # fmt: skip
"""Lists, and the parameter of addresses that each one's members fill."""
ALONE = ("annotations", "noise-floors", "projects", "prices", "alerts/counts", "alerts/rule")
OF_CAMPAIGN = ("comparisons", "comparisons/scaling", "comparisons/costs")
"""What is asked of each campaign by a parameter."""
LEFT_OUT = ("/events", "/artifacts/", "/logs/")
"""Streams, and what only runs with files have."""
PAGE = 200
MEMBERS = 40
"""Of so many members of a list, evenly spread, all further pages are asked for."""
TOLD_EVERY = 200
VOLATILE = {
    "as_of", "generated_at", "now", "link", "url", "last_seen_at", "seen_at", "last_heartbeat_at",
    "version", "release", "next_cursor", "exported_at",
}  # fmt: skip
"""What an answer says of the moment or the release that it was asked of."""

AGENTS_NOW = re.compile(
    r"//agents(?:\[\d+\]|/[^/]+)(?:/[^/]+)?/(?:status|no_work|facts/(?:load_average_1m|steal_percent|home)"
    r"|facts/storage/free_bytes|facts/versions/plugin [^/]+|plugins(?:\[\d+\]|/[^/]+)/digest)"
)
"""What is told of agents that is of the moment, or of the release's own plugins."""
PLUGINS_NOW = re.compile(r"//systems(?:\[\d+\]|/[^/]+)(?:/(?!conflicts).*)?")
"""What systems are, as the release's own plugins say; what agents disagree on aside."""
DELIBERATE = {
    "a statement that concerns a target no more, or is true no more, is gone": re.compile(
        r".*/caveats/statement:[^/]+: is not told any more"
    ),
    "findings are called by what they say": re.compile(
        r".*/(?:caveats/check:[^/]+|findings/[^/]+)/(?:title|short): .*"
    ),
    "memory-fit counts what records take": re.compile(
        r".*/(?:caveats/check:memory-fit|findings/memory-fit)/.*"
    ),
    "settings that nobody set are no differences": re.compile(
        r".*/(?:(?:caveats/check:|findings/)effective-configuration|fairness\[\d+\]/raw\[\d+\]"
        r"/setting [^/]+): is not told any more"
    ),
    "studies say where room was given to what did not fit": re.compile(
        r"//studies/[^/]+/otherwise: had .*"
    ),
    "a plugin's version is that of the runs, not today's": re.compile(
        r".*/disclosure/(?:sheet/)?(?:(?:sections/what/)?(?:answered|completeness): .*"
        r"|items\[\d+\]/(?:value: .*is 'not known'|fault: was None, is 'no run told it'))"
    ),
    "a run is reproduced with the version that ran": re.compile(
        r".*/reproduce/yaml: lines \[(?:' +version: any')?\] became \[' +version: [^,\]]+'\]"
    ),
    "conditions are told in the words of today's manifests": re.compile(
        r".*/(?:caveats/confounder:conditions/evidence\[\d+\]/text"
        r"|fairness\[\d+\]/values\[\d+\]): .*"
    ),
    "claims call systems by their names": re.compile(
        r"//studies/[^/]+/claims/[^/]+/(?:sentence|(?:printed|here)\[\d+\]/(?:where|words)): .*"
    ),
    "a share of the disclosure says whose": re.compile(
        r".*/caveats/disclosure:completeness/(?:short|title): .*"
    ),
    "of one side alone it is said that there is no other": re.compile(
        r".*/(?:headline|leads\[\d+\])/sentence: was 'Nothing can be compared: .*"
        r" alone: there is no other side to compare it with\.'"
    ),
    "cells with few repeats are counted once, not once a side": re.compile(
        r".*/caveats/check:repeats/text: .*"
    ),
    "a difference says whose figures it is of": re.compile(
        r".*/basis: was '(?:medians|blocks|campaigns)', is '(?:medians|blocks|campaigns)'"
    ),
    "a gate without a cell says so of all": re.compile(
        r".*/gate/message: was '(.*): (\d+ cells).*, is '\1: all \2.*"
    ),
    "a sentence begins with who, not with what": re.compile(
        r".*/(?:headline|leads\[\d+\])/sentence: was 'Nobody leads overall: most ([a-z0-9. ]+) has"
        r" (.+) in .*, is 'Nobody leads overall: \2 has most \1 in .*"
    ),
    "what a side is set to stands between commas": re.compile(
        r".*/(?:headline|leads\[\d+\])/(?:badge|sentence): was '([^,]+, .+?) leads\b.*"
        r"is '\1, leads\b.*"
    ),
}
"""What releases tell differently since, and why."""

OF_ONE = re.compile(r"(?<=/)[^/]*(?:[0-9a-f]{8}-[0-9a-f-]{27}|~|=)[^/]*|\[\d+\]")
"""Parts of addresses that are of one thing alone."""

Told = dict[str, Any]


def lists(platform: Serving) -> Told:
    """The lists of what it holds, to their ends."""
    return {f"/{name}": list(_pages(platform, f"/{name}")) for name in LISTS}


def listen(platform: Serving) -> Told:
    """What the platform tells, by address: lists, and their members' pages."""
    document = platform.ask("/openapi.json").raise_for_status().json()
    told = lists(platform)
    ids = {
        parameter: [
            str(one.get("slug") or one.get("id") or one["name"]) for one in told[f"/{name}"]
        ]
        for name, parameter in LISTS.items()
    }
    addresses = list(_addresses(document, ids))
    for number, path in enumerate(addresses):
        if number % TOLD_EVERY == 0:
            say(f"asking {number} of {len(addresses)}")
        answer = platform.ask(path)
        if answer.is_success:
            json = answer.headers["content-type"].startswith("application/json")
            told[path] = answer.json() if json else answer.text
    return told


def _pages(platform: Serving, path: str) -> Iterator[dict[str, Any]]:
    cursor: str | None = None
    while True:
        more = {"cursor": cursor} if cursor else {}
        answer = platform.ask(path, limit=PAGE, **more).raise_for_status().json()
        yield from answer["items"]
        cursor = answer.get("next_cursor")
        if not cursor:
            return


def _addresses(document: dict[str, Any], ids: dict[str, list[str]]) -> Iterator[str]:
    yield from (f"/{name}" for name in ALONE)
    for path in document["paths"]:
        short = path.removeprefix("/api/v1")
        own = [name for name in ids if f"{{{name}}}" in short]
        if "get" not in document["paths"][path] or len(own) != 1:
            continue
        if any(part in short for part in LEFT_OUT):
            continue
        fixed = short.replace("{number}", "1").replace("{from}", "1").replace("{to}", "1")
        if fixed.count("{") == 1:
            every = ids[own[0]]
            chosen = every if short.endswith("}") else every[:: max(1, len(every) // MEMBERS)]
            yield from (fixed.replace(f"{{{own[0]}}}", one) for one in chosen)
    for campaign in ids["campaign_id"]:
        yield from (f"/{name}?campaign={campaign}" for name in OF_CAMPAIGN)


def differences(before: Any, after: Any, where: str = "") -> Iterator[str]:
    """Where something that was told is told differently, or not any more; more may be told."""
    if isinstance(before, dict) and isinstance(after, dict):
        for name, value in before.items():
            if name in VOLATILE:
                continue
            if name not in after and _of_now(f"{where}/{name}"):
                continue
            if name not in after:
                yield f"{where}/{name}: was {_short(value)}, is not told any more"
            else:
                yield from differences(value, after[name], f"{where}/{name}")
    elif isinstance(before, list) and isinstance(after, list):
        yield from _of_lists(before, after, where)
    elif before == after or _of_now(where):
        return
    elif isinstance(before, str) and isinstance(after, str) and "\n" in before:
        yield from _of_lines(before.splitlines(), after.splitlines(), where)
    else:
        yield f"{where}: was {_short(before)}, is {_short(after)}"


def _of_lists(before: list[Any], after: list[Any], where: str) -> Iterator[str]:
    if _named(before) and _named(after):
        names = {_name(one): one for one in after}
        for one in before:
            name = _name(one)
            if name in names:
                yield from differences(one, names[name], f"{where}/{name}")
            elif not _of_now(where):
                yield f"{where}/{name}: is not told any more"
        return
    if len(before) != len(after) and not _of_now(where):
        yield f"{where}: had {len(before)} parts, has {len(after)}"
    for number, (one, other) in enumerate(zip(before, after, strict=False)):
        yield from differences(one, other, f"{where}[{number}]")


def _of_lines(before: list[str], after: list[str], where: str) -> Iterator[str]:
    """Lines of a file are told one by one; new ones too, since a file is read as a whole."""
    changes = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    for kind, i, j, k, end in changes:
        if kind != "equal":
            yield f"{where}: lines {before[i:j]!r} became {after[k:end]!r}"


def _of_now(where: str) -> bool:
    return any(own.fullmatch(where) for own in (AGENTS_NOW, PLUGINS_NOW))


def deliberate(difference: str) -> str | None:
    """Why something is told differently on purpose; None: it is not."""
    return next((why for why, told in DELIBERATE.items() if told.fullmatch(difference)), None)


def kind_of(difference: str) -> str:
    """What differences of one kind have in common: the field, whatever it is of."""
    field, _, told = difference.partition(": ")
    return OF_ONE.sub("…", field) + (": not told" if told.endswith("any more") else "")


def _named(items: list[Any]) -> bool:
    """Whether each has a name of its own: then order, and others beside them, do not matter."""
    names = [_name(one) for one in items]
    return None not in names and len(set(names)) == len(names)


def _name(one: Any) -> str | None:
    if not isinstance(one, dict):
        return None
    if {"origin", "name", "value"} == one.keys():
        return f"{one['origin']} {one['name']}"
    if {"metric", "workload", "load_level"} <= one.keys():
        own = (one.get(part, "") for part in ("metric", "workload", "baseline_side", "side"))
        return " ".join([*map(str, own), str(one["load_level"]["label"])])
    return one.get("id") if isinstance(one.get("id"), str) else None


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
