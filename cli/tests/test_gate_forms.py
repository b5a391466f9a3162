"""A gate as JUnit, Markdown, SARIF and annotations: what stands in them, and what never does."""

import json
import xml.etree.ElementTree as ET
from uuid import uuid4

import pytest
from junitparser import JUnitXml
from markdown_it import MarkdownIt
from weighhouse_cli.ci.annotations import annotations
from weighhouse_cli.ci.junit import junit, skipped
from weighhouse_cli.ci.markdown import MOST_CELLS, MOST_LINES, markdown
from weighhouse_cli.ci.sarif import sarif
from weighhouse_cli.ci.told import told_of

CAMPAIGN = str(uuid4())
HOSTILE = (
    "</details><script>alert(1)</script> @all #7 !7 [x](http://e.example) | `|` \x1b[31m ]]> \x00"
)


def level(label="16 clients"):
    return {"kind": "closed", "value": 16, "label": label, "own": False}


def cell(outcome="worse", target="redis", **changes):
    return {
        "target": target, "workload": "balanced", "load_level": level(), "metric": "throughput",
        "outcome": outcome, "stopped_by": None, "taken_back": False,
    } | changes  # fmt: skip


def gate(*cells, verdict="regression", code=1, **changes):
    differences = [
        {
            "side": f"{CAMPAIGN}~{one['target']}", "workload": one["workload"],
            "load_level": one["load_level"], "metric": one["metric"], "relative": -0.11,
            "low": -0.12, "high": -0.1,
        }
        for one in cells
    ]  # fmt: skip
    return {
        "campaign_id": CAMPAIGN, "verdict": verdict, "exit_code": code, "cells": list(cells),
        "comparisons": differences, "threshold_percent": 5.0, "link": "https://w.example/campaigns/1",
        "message": "Nothing that is known differs: the only cell regressed.\nSecond line.",
        "caveats": [
            {"severity": "bar", "title": "Not comparable", "text": "…"},
            {"severity": "note", "title": "People disclosed 0 %", "text": "…"},
        ],
    } | changes  # fmt: skip


def campaign(name="Reads", failed=0):
    return {
        "id": CAMPAIGN, "number": 25, "project_id": "p", "runs": {"total": 10, "failed": failed},
        "experiment": {"slug": "reads", "name": name},
    }  # fmt: skip


def told(*cells, name="Reads", **changes):
    return told_of(campaign(name), gate(*cells, **changes))


def test_junit_is_read_by_a_parser_of_junit():
    cells = (
        cell("worse"), cell("better", "memcached"), cell("unclear", "valkey", taken_back=True),
        cell("not_comparable", "keydb"), cell("failed", "garnet", stopped_by="failures"),
    )  # fmt: skip
    read = JUnitXml.fromstring(junit(told(*cells)))
    assert (read.tests, read.failures, read.errors, read.skipped) == (6, 3, 1, 1)
    (suite,) = read
    assert suite.name == "Reads"
    by_name = {case.name: case for case in suite}
    assert by_name["gate"].result[0].message == "regression"
    worse = by_name["redis: balanced, 16 clients: throughput"]
    assert worse.classname == "Reads.redis"
    assert "−11.0\u2009% [−12.0\u2009%, −10.0\u2009%]" in worse.result[0].message
    assert by_name["memcached: balanced, 16 clients: throughput"].is_passed
    assert by_name["valkey: balanced, 16 clients: throughput"].is_skipped
    properties = {one.name: one.value for one in suite.properties()}
    assert properties["caveat: bar"] == "Not comparable"
    assert properties["page"].startswith("https://")


def test_a_gate_without_a_base_is_skipped_and_without_a_machine_an_error():
    alone = JUnitXml.fromstring(junit(told(verdict="no_baseline", code=2)))
    assert (alone.tests, alone.failures, alone.errors, alone.skipped) == (1, 0, 0, 1)
    away = JUnitXml.fromstring(junit(told(verdict="infrastructure", code=3)))
    assert (away.tests, away.failures, away.errors, away.skipped) == (1, 0, 1, 0)
    nothing = JUnitXml.fromstring(skipped("reads.yaml", "nothing changed"))
    assert (nothing.tests, nothing.skipped) == (1, 1)


@pytest.mark.parametrize("form", [junit, markdown, lambda one: sarif(one, "e.yaml")])
def test_hostile_names_are_text_in_every_form(form):
    found = form(told(cell(target=HOSTILE), name=HOSTILE, message=HOSTILE))
    text = found.decode() if isinstance(found, bytes) else found
    if form is junit:
        ET.fromstring(text)
        return
    if form is not markdown:
        assert json.loads(text)["runs"][0]["results"][0]["message"]["text"].startswith("</details>")
        return
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(text)
    for markup in ("<script", '<a href="http://e.example', "@all", "#7", "!7", "<code>"):
        assert markup not in html, html
    assert html.count("</details>") == 1
    assert "\x1b" not in text
    assert "http://" not in text, "a forge makes links of bare addresses"
    assert html.count("<tr>") == 2, "the cell's name is in one column"


def test_markdown_says_everything_that_has_to_stand_beside_figures():
    text = markdown(told(cell("worse", stopped_by="anchor")))
    assert text.startswith("<!-- weighhouse gate: p reads -->\n")
    assert "**Not comparable**" in text
    assert "People disclosed 0" in text
    assert "[Campaign № 25](https://w.example/campaigns/1): 10 runs" in text
    assert "small steps add up since the anchor" in text


def test_a_comment_is_bounded_and_says_what_it_leaves_out():
    many = [cell("better", f"side{number}") for number in range(200)]
    text = markdown(told(*many, message="line\n" * 500))
    assert len(text) < 20_000
    assert f"and {200 - MOST_CELLS} cells more on its page" in text
    assert f"and {500 - MOST_LINES} lines more on its page" in text


def test_the_gravest_comes_first():
    found = told(cell("better", "a"), cell("unclear", "b"), cell("worse", "c"))
    assert [one.target for one in found.cells] == ["c", "b", "a"]


def test_sarif_names_the_file_and_keeps_results_apart():
    one, two = cell("worse", "a"), cell("unclear", "b")
    log = json.loads(sarif(told(one, two, cell("better", "c")), "experiments/reads.yaml"))
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    assert [found["level"] for found in run["results"]] == ["error", "warning"]
    assert {found["ruleId"] for found in run["results"]} <= {
        rule["id"] for rule in run["tool"]["driver"]["rules"]
    }
    place = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert place == "experiments/reads.yaml"
    first, second = (found["partialFingerprints"]["cell/v1"] for found in run["results"])
    assert first != second
    again = json.loads(sarif(told(one, two), "experiments/reads.yaml"))
    assert again["runs"][0]["results"][0]["partialFingerprints"]["cell/v1"] == first


def test_annotations_are_one_line_each_and_only_of_what_did_not_pass():
    assert list(annotations(told(cell("better"), verdict="passed", code=0), "e.yaml")) == []
    (line,) = annotations(told(cell("worse", target="a,b: c\n%")), "my, e.yaml")
    assert line.startswith("::error file=my%2C e.yaml,line=1,title=a%2Cb%3A c %25%2C balanced")
    assert "\n" not in line
    (alone,) = annotations(told(verdict="no_baseline", code=2), "e.yaml")
    assert alone.startswith("::warning ")
    assert len(list(annotations(told(*[cell("worse", str(n)) for n in range(50)]), "e"))) == 10


def test_a_caveat_of_several_sides_is_one_title():
    of_sides = [
        {"severity": "caveat", "title": "A node executes commands on one thread", "side": side}
        for side in ("redis", "redis-on-disk")
    ]
    assert told(cell("worse"), caveats=of_sides).caveats == [
        ("caveat", "A node executes commands on one thread")
    ]
