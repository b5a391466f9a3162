"""What leaves for pages elsewhere: badges, pictures, embeds, public pages; each asks the policy."""

import json
import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from sqlalchemy import event, text

from backend.tests.described import described
from backend.tests.disclosure.policed import REASON

MARKUP = "</title><script>alert(1)</script>\"'&"
SHARED = {
    "/api/v1/shared", "/api/v1/shared/answer", "/api/v1/shared/comparison",
    "/api/v1/shared/scaling", "/api/v1/shared/series",
    "/api/v1/shared/report",
}  # fmt: skip
OUTSIDE = {
    "/badges/series/{share_id}.svg", "/embed/{share_id}", "/pictures/{share_id}.svg", "/public",
    "/public/{share_id}",
}  # fmt: skip
FIGURE = re.compile(r"\d[\d,.]*(/s\b(?!hared)|\s*µs|\s*bytes)")


@pytest.fixture
def fetch(client):
    def fetched(path, **headers):
        client.cookies.clear()
        return client.get(path, headers=headers)

    return fetched


@pytest.fixture
def public(share, campaign):
    return share(campaign_id=campaign, visibility="public", title=MARKUP, days=None)


@pytest.fixture
def over_time(share, series):
    return share(series_id=series, visibility="public", title="p99 & more")


def leaves():
    """What is read without a login and is of a share, by the API's own description."""
    return {
        path
        for path, methods in described()["paths"].items()
        if "get" in methods and "sharing" in methods["get"]["tags"] and path != "/api/v1/shares"
    }


def test_every_way_out_is_known_to_this_test():
    assert leaves() == SHARED | OUTSIDE, "say that these ask the policy, and try them below"


def test_what_becomes_forbidden_stops_everywhere(call, share, visit, fetch, closed):
    """A system whose terms forbid it leaves under an override; when that ends, nothing does."""
    targets = {"side": [f"{closed}~closed", f"{closed}~free"]}
    refused = call("POST", "/shares", title="T", comparison=targets, visibility="public")
    assert refused.status_code == 403
    assert refused.json()["type"] == "/docs/problems/publication-refused"
    error = refused.json()["errors"][0]
    assert "the clause of shut" in error["message"]
    assert error["expected"], "what would mend it"
    override = call(
        "POST", f"/campaigns/{closed}/overrides", system_id="memcached", audience="public",
        reason=REASON,
    ).json()  # fmt: skip
    made = share(comparison=targets, visibility="public", title="Stops later")
    paths = [path.format(share_id=made["id"]) for path in sorted(leaves() - {"/public"})]
    of_others = {path for path in paths if "series" in path or path.endswith("/report")}
    for path in set(paths) - of_others:
        asked = f"{path}?share={made['id']}" if path.startswith("/api") else path
        assert fetch(asked).status_code == 200, path
    assert "Stops later" in fetch("/public").text
    assert call("POST", f"/overrides/{override['id']}/end").is_success
    for path in paths:
        asked = f"{path}?share={made['id']}" if path.startswith("/api") else path
        answer = fetch(asked)
        assert answer.status_code in {403, 404, 422}, path
        assert not FIGURE.search(answer.text), (path, answer.text)
    assert "Stops later" not in fetch("/public").text
    told = visit("", made["url"])
    assert told.status_code == 403
    assert "the clause of shut" in told.text
    project = call("GET", "/projects").json()["items"][0]["id"]
    listed = call("GET", "/shares", project_id=project).json()["items"]
    row = next(one for one in listed if one["id"] == made["id"])
    assert row["state"] == "stopped"
    assert "Memcached" in row["stopped_because"]
    assert row["embed"] is None


def test_a_series_of_a_forbidden_system_is_not_shared(call, laboratory, closed):
    del closed
    found = laboratory.get("/series", system_id="memcached")["items"][0]["id"]
    assert call("POST", "/shares", title="T", series_id=found).status_code == 403
    inside = call("POST", "/shares", title="T", series_id=found, visibility="organization")
    assert inside.status_code == 201, "the organization is not outside"


def texts(svg):
    """All texts of an SVG that is well-formed, and has nothing but shapes and texts in it."""
    root = ElementTree.fromstring(svg)
    tags = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert tags <= {
        "svg", "title", "desc", "rect", "g", "text", "polygon", "polyline", "circle", "line"
    }  # fmt: skip
    return " ".join(root.itertext())


def test_a_badge_has_the_last_figure(over_time, fetch, call):
    badge = over_time["embed"]["badge_url"]
    path = badge.partition("8480")[2]
    answer = fetch(path)
    assert answer.status_code == 200
    assert answer.headers["Content-Type"].startswith("image/svg+xml")
    assert "no-cache" in answer.headers["Cache-Control"]
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    told = texts(answer.text)
    assert "p99 & more" in told
    assert re.search(r"\d", told.replace("p99", ""))
    assert fetch(path, **{"If-None-Match": answer.headers["ETag"]}).status_code == 304
    assert over_time["embed"]["markdown"].startswith("[![p99 \\& more](http")
    call("POST", f"/shares/{over_time['id']}/revoke")
    gone = fetch(path, **{"If-None-Match": answer.headers["ETag"]})
    assert gone.status_code == 404
    assert "not shared here" in texts(gone.text)


def test_a_picture_has_figures_and_what_stands_beside_them(public, over_time, fetch, call):
    told = texts(fetch(f"/pictures/{public['id']}.svg").text)
    assert MARKUP in told
    assert FIGURE.search(told)
    caveats = call("GET", "/comparisons", campaign=public["campaign_id"]).json()["caveats"]
    plain = "".join(told.split())
    for one in caveats:
        assert "".join(one["title"].split()) in plain
    assert "shows what stands now" in told
    assert texts(fetch(f"/pictures/{over_time['id']}.svg").text)


class Reading(HTMLParser):
    """Tags of a page, its title, and its JSON-LD."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.title, self.data, self._in = [], "", "", ""
        self.meta = {}
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        said = dict(attributes)
        self.tags.append((tag, said.get("type")))
        self._in = tag
        if tag == "meta":
            self.meta[said.get("name") or said.get("property")] = said.get("content")

    def handle_data(self, data):
        if self._in == "title":
            self.title += data
        elif self._in == "script":
            self.data += data

    def handle_endtag(self, tag):
        del tag
        self._in = ""


def test_a_public_page_tells_search_engines_what_it_is(public, fetch):
    page = fetch(f"/public/{public['id']}")
    assert page.status_code == 200
    read = Reading(page.text)
    assert read.title == f"{MARKUP} · Weighhouse"
    assert [one for one in read.tags if one[0] == "script"] == [("script", "application/ld+json")]
    found = json.loads(read.data)
    assert found["@context"] == "https://schema.org"
    assert found["@type"] == "Dataset"
    assert found["name"] == MARKUP
    assert 50 <= len(found["description"]) <= 5000
    assert found["creator"] == {"@type": "Organization", "name": "Ours"}
    assert read.meta["description"]
    address = found["distribution"][0]["contentUrl"].partition("8480")[2]
    assert fetch(address).json()["sides"]


def test_the_front_page_names_what_is_public_alone(public, share, fetch, campaign, settings):
    share(campaign_id=campaign, title="Only by link")
    page = fetch("/public").text
    read = Reading(page)
    assert json.loads(read.data)["@type"] == "DataCatalog"
    assert "Only by link" not in page
    assert "alert(1)" in page
    assert not any(tag == "script" and kind is None for tag, kind in read.tags)
    assert "Published studies" in page
    settings.public_page = False
    try:
        assert fetch("/public").status_code == 404
    finally:
        settings.public_page = True


def test_the_front_page_is_searched_by_what_is_public_alone(share, fetch, call, campaign):
    share(campaign_id=campaign, title="A numbat by link")
    made = share(campaign_id=campaign, title="A numbat <b> for all", visibility="public")
    page = fetch("/public?q=NUMBAT").text
    assert f"/public/{made['id']}" in page
    assert "A numbat &lt;b&gt; for all" in page
    assert "by link" not in page
    assert "Nothing public has “nowhere”" in fetch("/public?q=nowhere").text
    assert "no word and no number" in fetch("/public?q=%25").text
    assert "&quot;&gt;&lt;i&gt;" in fetch('/public?q="><i>').text
    assert call("POST", f"/shares/{made['id']}/revoke").status_code == 200
    assert made["id"] not in fetch("/public?q=numbat").text


def test_a_link_is_no_public_page(share, fetch, campaign):
    made = share(campaign_id=campaign)
    for path in leaves() - {"/public"}:
        asked = path.format(share_id=made["id"])
        assert fetch(f"{asked}?share={made['id']}").status_code == 404, path


def test_an_embed_is_framed_where_it_is_allowed(public, fetch, call, settings):
    path = f"/embed/{public['id']}"
    page = fetch(path, **{"Sec-Fetch-Dest": "iframe", "Referer": "https://blog.example/"})
    assert page.status_code == 200
    policy = page.headers["Content-Security-Policy"]
    assert "frame-ancestors https://blog.example" in policy
    assert "default-src 'none'" in policy
    assert "X-Frame-Options" not in page.headers
    assert not any(tag == "script" for tag, _ in Reading(page.text).tags)
    for one in call("GET", "/comparisons", campaign=public["campaign_id"]).json()["caveats"]:
        assert one["title"] in page.text.replace("&#x27;", "'")
    assert "shows what stands now" in page.text
    assert public["embed"]["frame"].startswith("<iframe src=")
    assert "<script" not in public["embed"]["frame"]

    elsewhere = fetch(path, **{"Sec-Fetch-Dest": "iframe", "Referer": "https://else.example/"})
    assert elsewhere.status_code == 403
    assert "may not embed" in elsewhere.text
    assert "frame-ancestors *" in elsewhere.headers["Content-Security-Policy"]
    assert not FIGURE.search(elsewhere.text)
    settings.embed_origins = ""
    try:
        alone = fetch(path)
        assert "frame-ancestors 'none'" in alone.headers["Content-Security-Policy"]
        project = call("GET", "/projects").json()["items"][0]["id"]
        listed = call("GET", "/shares", project_id=project).json()["items"]
        row = next(one for one in listed if one["id"] == public["id"])
        assert row["embed"]["frame"] is None
        assert "WEIGHHOUSE_EMBED_ORIGINS" in row["embed"]["frame_words"]
    finally:
        settings.embed_origins = "https://blog.example"


def test_other_pages_are_still_framed_by_nobody(fetch):
    page = fetch("/shared")
    assert page.headers["X-Frame-Options"] == "DENY"
    assert page.headers["Referrer-Policy"] == "no-referrer"


def test_strangers_are_given_what_was_made_once(public, client, fetch, call):
    kept = client.app.state.renderings
    asked = f"/api/v1/shared/comparison?share={public['id']}"
    fetch(asked)
    made = kept.made
    for _ in range(20):
        assert fetch(asked).status_code == 200
    assert kept.made <= made + 1, "made anew after some seconds at most"
    call("POST", f"/shares/{public['id']}/revoke")
    assert fetch(asked).status_code == 404, "who may see it is asked each time"


def test_what_did_not_change_is_not_made_anew(public, client, fetch, call, monkeypatch):
    kept = client.app.state.renderings
    asked = f"/pictures/{public['id']}.svg"
    first = fetch(asked).content

    def some_seconds_later():
        later = kept._now() + 11
        monkeypatch.setattr(kept, "_now", lambda: later)

    made = kept.made
    some_seconds_later()
    assert fetch(asked).content == first
    assert kept.made == made + 1, "the terms are asked anew, and nothing else is made"
    said = "The disk was full, see the log of the machine."
    challenged = call("POST", f"/campaigns/{public['campaign_id']}/challenges", text=said)
    assert challenged.status_code == 201, challenged.text
    some_seconds_later()
    assert fetch(asked).content != first, "a challenge is a caveat"


def opened(call, share_id):
    project = call("GET", "/projects").json()["items"][0]["id"]
    listed = call("GET", "/shares", project_id=project).json()["items"]
    return next(one for one in listed if one["id"] == share_id)["seen_count"]


@pytest.fixture
def statements(client):
    """What the database is asked from here on."""
    said = []

    def told(connection, cursor, statement, *_):
        said.append(statement)

    event.listen(client.app.state.engine, "before_cursor_execute", told)
    yield said
    event.remove(client.app.state.engine, "before_cursor_execute", told)


def test_who_comes_next_costs_one_short_query(public, fetch, call, statements):
    paths = [f"/pictures/{public['id']}.svg", f"/public/{public['id']}", "/public"]
    paths += [f"/api/v1/shared/comparison?share={public['id']}"]
    for path in paths:
        first = fetch(path)
        statements.clear()
        again = fetch(path)
        assert (again.content, again.headers["ETag"]) == (first.content, first.headers["ETag"])
        assert len(statements) == 1, (path, statements)
        assert "publication_consents" in statements[0], "the terms are asked each time"
        assert fetch(path, **{"If-None-Match": first.headers["ETag"]}).status_code == 304
    before = opened(call, public["id"])
    for _ in range(5):
        assert fetch(f"/embed/{public['id']}").status_code == 200
    assert opened(call, public["id"]) == before + 5, "each opening counts"
    framed = {"Sec-Fetch-Dest": "iframe", "Referer": "https://else.example/"}
    assert fetch(f"/embed/{public['id']}", **framed).status_code == 403
    call("POST", f"/shares/{public['id']}/revoke")
    for path in paths[:-2]:
        assert fetch(path).status_code == 404, path
    assert fetch(paths[-1]).status_code == 404
    assert public["id"] not in fetch("/public").text


def test_what_may_end_by_the_clock_ends(public, fetch, client):
    path = f"/pictures/{public['id']}.svg"
    for _ in range(2):
        assert fetch(path).status_code == 200
    with client.app.state.session_factory() as session:
        session.execute(
            text("UPDATE shares SET expires_at = now() WHERE id = :id"), {"id": public["id"]}
        )
        session.commit()
    assert fetch(path).status_code == 404
