"""Reports from their beginning to a file: templates, several authors, editions."""

import re

import pytest
from weighhouse_backend.reports import pdf

from backend.tests.disclosure.under_terms import told

BODY = ("title", "text", "audience")


def body_of(report, **more):
    named = ("name", "campaign_id", "comparison", "series_id", "study", "published_id")
    sources = [{name: one[name] for name in named if one[name] is not None}
               for one in report["sources"]]  # fmt: skip
    return {name: report[name] for name in BODY} | {"sources": sources} | more


@pytest.fixture
def save(call):
    def saved(report, revision=None, **more):
        tag = f'"{revision or report["revision"]}"'
        body = body_of(report, **more)
        return call("PUT", f"/reports/{report['id']}", {"If-Match": tag}, json=body)

    return saved


def words(nodes):
    """All text of a document, as the API tells it."""
    return " ".join(one if isinstance(one, str) else words(one[2]) for one in nodes)


def test_a_template_refers_to_what_is_there(report, campaign):
    for template in ("comparison", "study", "regression", "monthly", "release"):
        made = report({"name": "ours", "campaign_id": campaign}, template=template)
        assert "{{ours.answer}}" in made["text"], template
        assert made["document"]["withdrawn"] == []
        said = words(made["document"]["nodes"])
        assert "What has to be known" in said, "caveats stand in it, whatever its author wrote"
        assert "{{" not in said


def test_a_figure_in_a_sentence_is_the_comparisons_own(call, report, save, campaign):
    made = report({"name": "ours", "campaign_id": campaign})
    draft = call("POST", f"/reports/{made['id']}/draft", json=body_of(made)).json()
    offer = next(one for one in draft["offers"] if one["kind"] == "words")
    cell = call("GET", "/comparisons", params={"campaign": campaign}).json()["cells"][0]
    saved = save(made, text=f"It does {offer['reference']} here.")
    assert saved.status_code == 200, saved.text
    said = words(saved.json()["document"]["nodes"])
    assert f"It does  {offer['shows']}" in said
    assert offer["shows"].startswith(f"{cell['figures']['throughput']['median']:.0f}/s")


def test_who_saves_on_top_of_another_text_is_told_and_nothing_is_lost(call, report, save, campaign):
    made = report({"name": "ours", "campaign_id": campaign})
    mine = save(made, text="Mine.")
    assert mine.json()["revision"] == 2
    theirs = save(made, text="Theirs.")
    assert theirs.status_code == 412
    assert theirs.json()["type"] == "/docs/problems/changed-meanwhile"
    assert call("GET", f"/reports/{made['id']}").json()["text"] == "Mine."
    merged = save(made, revision=2, text="Mine. Theirs.").json()
    assert merged["revision"] == 3
    kept = [call("GET", f"/reports/{made['id']}/revisions/{at}").json()["text"] for at in (1, 2, 3)]
    assert kept == [made["text"], "Mine.", "Mine. Theirs."]
    blind = call("PUT", f"/reports/{made['id']}", json=body_of(made))
    assert blind.status_code == 422
    assert "If-Match" in blind.json()["detail"]


def test_an_edition_stays_when_repeats_are_added_and_says_what_changed(
    call, laboratory, report, campaign
):
    made = report({"name": "ours", "campaign_id": campaign})
    frozen = call("POST", f"/reports/{made['id']}/editions").json()
    address = f"/reports/{made['id']}/editions/{frozen['number']}"
    before = call("GET", address).json()
    assert before["changes"] == []
    more = call("POST", f"/campaigns/{campaign}/repeats", json={"count": 2})
    assert more.is_success, more.text
    laboratory.measure(told, laboratory.get(f"/campaigns/{campaign}")["runs"]["queued"])
    after = call("GET", address).json()
    assert after["document"] == before["document"]
    assert after["digest"] == before["digest"] == frozen["digest"]
    changed = {one["what"]: one for one in after["changes"]}
    runs = next(one for what, one in changed.items() if "Completed runs" in what)
    assert (runs["before"], runs["now"]) == ("2 of 2", "4 of 4")
    file = call("GET", f"/reports/{made['id']}/file", params={"form": "html", "edition": 1})
    assert "2 of 2</td>" in file.text
    assert "4 of 4</td>" not in file.text
    refused = call("DELETE", f"/reports/{made['id']}")
    assert refused.status_code == 409


def test_a_pdf_has_bookmarks_page_numbers_and_vector_charts(call, report, campaign):
    made = report({"name": "ours", "campaign_id": campaign})
    answer = call("GET", f"/reports/{made['id']}/file")
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/pdf"
    assert answer.content.startswith(b"%PDF-")
    assert b"/Outlines" in answer.content
    assert b"/Subtype /Image" not in answer.content, "a picture of a chart is no chart"
    assert len(re.findall(rb"/Type /Page\b", answer.content)) >= 2


def test_without_a_chromium_it_is_said_what_is_missing(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(pdf.PdfNotHere, match="no Chromium was found; install Chromium"):
        pdf.made("<p>", None)
    with pytest.raises(pdf.PdfNotHere, match="there is no /nowhere/chromium"):
        pdf.made("<p>", "/nowhere/chromium")


def test_what_cannot_be_kept_is_refused_in_words(call, report, save, campaign):
    made = report({"name": "ours", "campaign_id": campaign})
    twice = [{"name": "a", "campaign_id": campaign}] * 2
    answer = save(made, sources=twice)
    assert answer.json()["detail"] == "sources.1.name: a is there twice; another name"
    answer = save(made, sources=[{"name": "a"}])
    assert "a source is of one thing" in answer.json()["detail"]
    assert save(made, text="x" * 200_001).status_code == 422
    large = save(made, text="x" * 10_000_000)
    assert large.status_code == 413
    assert call("GET", f"/reports/{made['id']}").json()["revision"] == 1
