"""No list is cut without a way on: who asks for a part of one says which, and can ask for the rest.

The API's document says which lists have parts: they take a `cursor`. The interface asks for all of
it (`requestAll`), or for the part whose cursor stands in the address or follows another one; the
command line by `every` or its `--cursor`.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FRONTEND, CLI = ROOT / "frontend" / "src", ROOT / "cli" / "weighhouse_cli"
BACKEND = ROOT / "backend" / "weighhouse_backend"
PAGES = "kit/pages.py"
"""Where parts of lists are made."""
WAYS_ON = {
    "charts/historyPublished.ts": "told, with the list of all below it",
    "features/alerts/AlertsCard.vue": "and N more, a link",
    "features/campaigns/GatePanel.vue": "a button for all",
    "features/campaigns/HeadlineComparison.vue": "the comparison",
    "features/campaigns/useLiveCampaign.ts": "what happens now; each run's page keeps its events",
    "features/campaigns/WhyFailed.vue": "how many more, with the matrix of runs below it",
    "features/caveats/CaveatDetail.vue": "a button for the others",
    "features/comparisons/CompareLedger.vue": "a button for all",
    "features/experiments/UpcomingStarts.vue": "and N more, a link",
    "features/history/MeasuredOfSystem.vue": "a button for all",
    "features/runs/beside.ts": "the first choice; others are added, and the most is told",
    "pages/HistoryPage.vue": "told, with the list of all beside it",
}
"""Files that show the first few of what they have, and how one gets at the rest."""
BEGINNINGS = {("frontend/src/features/search/queries.ts", "/search")}
"""Who asks for the beginnings of several lists at once: each says whether it goes on
(`more_cursor`), and is asked for part after part by itself.
"""
OF_TEXTS = {"SHORT", "MOST_SAID", "MOST_OF_A_NAME", "MOST"}
"""How much of a text is shown: no list."""
LEAST = 10
"""Lists with parts, and places where the interface asks for one."""


def lists() -> set[str]:
    """Addresses of lists with parts, braces for what stands in them."""
    document = json.loads((ROOT / "frontend" / "openapi.json").read_text(encoding="utf-8"))
    return {
        re.sub(r"\{[^}]*\}", "{}", path.removeprefix("/api/v1"))
        for path, methods in document["paths"].items()
        if any(one["name"] == "cursor" for one in methods.get("get", {}).get("parameters", []))
    }


def call_at(text: str, begin: int) -> str:
    """A call from its opening bracket to the closing one."""
    depth = 0
    for place in range(begin, len(text)):
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        if depth == 0:
            return text[begin : place + 1]
    raise AssertionError(text[begin : begin + 80])


def calls(files: Iterator[Path], asks: str) -> Iterator[tuple[str, str, str]]:
    """Where something of the API is asked for: file, address, the call."""
    for path in sorted(files):
        text = path.read_text(encoding="utf-8")
        for found in re.finditer(asks, text):
            address = re.sub(r"\{[^}]*\}", "{}", found.group(1)).removeprefix("/api/v1")
            place = str(path.relative_to(ROOT))
            yield place, address, call_at(text, text.index("(", found.start()))


def of_interface() -> Iterator[tuple[str, str, str]]:
    sources = (one for one in FRONTEND.rglob("*.*") if one.suffix in {".ts", ".vue"})
    shown = (one for one in sources if not one.name.endswith((".spec.ts", ".d.ts")))
    return calls(shown, r"request\(\s*'GET ([^']+)'")


def of_commands() -> Iterator[tuple[str, str, str]]:
    return calls(CLI.rglob("*.py"), r"\.get\(\s*f?\"(/[^\"]*)\"")


def test_the_interface_asks_for_lists_in_parts_or_whole():
    known = lists()
    asked = [(place, address, call) for place, address, call in of_interface() if address in known]
    assert len(known) >= LEAST
    assert len(asked) >= LEAST
    cut = [
        (place, address)
        for place, address, call in asked
        if not re.search(r"\b(cursor|part)\b", call) and (place, address) not in BEGINNINGS
    ]
    assert cut == [], "give the part's cursor, or take all of the list by requestAll"


def test_commands_ask_for_lists_in_parts_or_whole():
    known = lists()
    asked = [(place, address, call) for place, address, call in of_commands() if address in known]
    assert asked
    cut = [(place, address) for place, address, call in asked if "cursor" not in call]
    assert cut == [], "take --cursor, or all of the list by lists.every"


def test_a_list_of_parts_keeps_its_ways_on_however_it_is_shown():
    """A part that is put together by hand forgets where the others are: `Page.of` does not."""
    made = [
        str(path.relative_to(BACKEND))
        for path in sorted(BACKEND.rglob("*.py"))
        if "next_cursor=" in path.read_text(encoding="utf-8")
    ]
    assert made == [PAGES]


@pytest.mark.parametrize("ways", ["hasNextPage", "fetchNextPage"])
def test_who_asks_part_after_part_shows_a_button_for_the_next(ways):
    """A list that grows by its parts is shown where one can ask for the next one."""
    sources = {
        one: one.read_text(encoding="utf-8")
        for one in FRONTEND.rglob("*.*")
        if one.suffix in {".ts", ".vue"}
    }
    growing = {
        name
        for text in sources.values()
        for name in re.findall(r"export function (use\w+)[^}]*?useInfiniteQuery", text)
    }
    assert growing
    for name in growing:
        users = [
            one for one, text in sources.items() if re.search(rf"(?<!function ){name}\(", text)
        ]
        assert users, name
        assert all(ways in sources[one] for one in users), (name, users)


def test_who_shows_the_first_few_has_a_way_to_the_rest():
    """By name, so that whoever cuts another list says where the rest is."""
    found = {
        str(path.relative_to(FRONTEND))
        for path in FRONTEND.rglob("*.*")
        if path.suffix in {".ts", ".vue"} and not path.name.endswith(".spec.ts")
        for most in re.findall(r"\.slice\(0, ([A-Z][A-Z_]+)\)", path.read_text(encoding="utf-8"))
        if most not in OF_TEXTS
    }
    assert found == set(WAYS_ON), "say how one gets at the rest, and give a way"
