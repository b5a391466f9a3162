"""Where a report breaks on paper, and what of a study stands on it."""

import re

from weighhouse_backend.reports import pdf, sheets
from weighhouse_backend.reports.nodes import node

from backend.tests.reports.test_reports import words


def pages(content: bytes) -> dict[str, int]:
    """Page of each heading, from 1, by the bookmarks."""
    (kids,) = (one for one in re.findall(rb"/Kids \[([^\]]*)\]", content) if b" 0 R " in one)
    order = [int(one) for one in re.findall(rb"(\d+) 0 R", kids)]
    found = re.findall(rb"/Title \(([^)]*)\)\s*/Dest \[(\d+) 0 R", content)
    return {title.decode(): order.index(int(page)) + 1 for title, page in found}


def printed(*nodes) -> dict[str, int]:
    return pages(pdf.made(sheets.page("Paper", [node("h1", "Paper"), *nodes]), None))


def test_charts_that_follow_each_other_are_parted():
    rules = re.findall(r"([^{}]+)\{([^{}]*)\}", sheets.STYLE)
    for selectors, said in rules:
        last_of_figures = "figcaption" in re.split(r"[,\s]+", selectors.strip())
        assert not (last_of_figures and "break-after" in said), "it holds for the whole figure"


def test_a_tables_head_stays_with_its_first_row(monkeypatch):
    monkeypatch.setattr(sheets, "STYLE", sheets.STYLE + ".most{height:205mm}.tall{height:62mm}")
    head = node("thead", node("tr", node("th", "Claim"), node("th", "Why")))
    row = node("tr", node("td", "it is"), node("td", node("div", class_="tall")))
    table = node("table", node("caption", "Claims"), head, node("tbody", row))
    found = printed(node("div", class_="most"), node("h2", "Claimed"), table)
    assert found["Claimed"] == 2


def test_of_a_study_it_says_what_was_not_measured_and_whose_it_is(call, report):
    study = call("GET", "/studies/policed").json()
    left = [one for one in study["sides"] if not one["measured"]]
    assert left, "nothing of it has been measured yet"
    made = report({"name": "study", "study": "policed"}, template="study")
    said = words(made["document"]["nodes"])
    for one in left:
        assert f"{one['label']} was not measured here: {one['because']}" in " ".join(said.split())
    assert ".:" not in said
    sponsor, disclaimer = study["source"]["sponsor"], study["source"]["disclaimer"]
    known = said.partition("What has to be known")[2]
    assert f"Paid for by: {sponsor}" in known
    assert disclaimer in known
