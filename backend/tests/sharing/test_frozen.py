"""What is shared as it stood: the same to the digit later, and what came since beside it."""

import pytest
from sqlalchemy import text
from weighhouse_backend.kit.tenancy import confine_to_shared
from weighhouse_backend.kit.unit_of_work import unit_of_work


@pytest.fixture
def frozen(share, campaign):
    return share(campaign_id=campaign, frozen=True)


@pytest.fixture
def fetch(client):
    def fetched(path):
        client.cookies.clear()
        return client.get(path)

    return fetched


def challenged(call, campaign):
    """Somebody says that it is wrong, which is a caveat from then on."""
    sheet = call("GET", f"/campaigns/{campaign}/disclosure").json()["sheet"]
    system = sheet["decisions"][0]["system_id"]
    said = "The disk was full, see the log of the machine."
    return call("POST", f"/campaigns/{campaign}/challenges", text=said, system_id=system)


def test_both_ends_are_told_when_it_stood(frozen, share, visit, campaign):
    about = visit("", frozen["url"]).json()
    assert frozen["stood_at"] == frozen["created_at"] == about["stood_at"]
    assert frozen["shows"] == about["shows"]
    assert f"{frozen['stood_at'][:10]} {frozen['stood_at'][11:16]} UTC" in about["shows"]
    assert about["since"] == {
        "changed": False, "words": "The figures stand as they did.", "caveats": [],
    }  # fmt: skip
    live = share(campaign_id=campaign)
    assert live["stood_at"] is None
    assert visit("", live["url"]).json()["since"] is None


def test_it_is_what_members_saw_then(frozen, visit, call, campaign):
    then = call("GET", "/comparisons", "viewer", campaign=campaign).json()
    assert visit("/comparison", frozen["url"]).json()["cells"] == then["cells"]
    read = call("GET", "/comparisons/answer", "viewer", campaign=campaign).json()
    assert visit("/answer", frozen["url"]).json() == read
    for law in (True, False):
        scaling = call("GET", "/comparisons/scaling", "viewer", campaign=campaign, law=law).json()
        assert visit("/scaling", frozen["url"], law=law).json() == scaling
    figure = visit("/answer", frozen["url"], figure="p99_us").json()
    asked = call("GET", "/comparisons/answer", "viewer", campaign=campaign, figure="p99_us")
    assert figure == asked.json()


def test_sides_of_what_stood_are_not_hidden(frozen, visit):
    refused = visit("/answer", frozen["url"], hidden=[0])
    assert refused.status_code == 422
    assert "hidden" in refused.json()["detail"]
    assert visit("/answer", frozen["url"], figure="nothing").status_code == 404


def test_what_was_said_since_stands_beside_it(share, visit, call, campaign, client, fetch):
    public = share(campaign_id=campaign, frozen=True, visibility="public", days=None)
    then = visit("/comparison", public["url"]).json()
    made = challenged(call, campaign)
    assert made.status_code == 201, made.text
    client.app.state.renderings.forget()
    assert visit("/comparison", public["url"]).json() == then
    since = visit("", public["url"]).json()["since"]
    assert "Since then one thing more has to be known" in since["words"]
    (caveat,) = since["caveats"]
    for path in ("/embed/{}", "/pictures/{}.svg"):
        shown = fetch(path.format(public["id"]))
        assert caveat["title"] in shown.text.replace("&#x27;", "'"), path
        assert "not what stands now" in " ".join(shown.text.split())


def test_a_series_is_kept_too(share, visit, call, series, laboratory, campaign):
    del campaign
    kept = share(series_id=series, frozen=True, visibility="public", days=None)
    live = share(series_id=series, visibility="public", days=None)
    then = visit("/series", kept["url"]).json()
    assert then["points"]
    assert visit("/series", live["url"]).json() == then


def test_its_terms_are_asked_at_every_opening(frozen, visit, call):
    assert visit("", frozen["url"]).status_code == 200
    call("POST", f"/shares/{frozen['id']}/revoke")
    for path in ("", "/comparison", "/answer", "/scaling"):
        assert visit(path, frozen["url"]).status_code == 404, path


def test_the_database_shows_what_one_share_kept_alone(frozen, share, campaign, session_factory):
    other = share(campaign_id=campaign, frozen=True)
    with unit_of_work(session_factory) as session:
        query = text("SELECT project_id FROM shares WHERE id = :id")
        project = session.scalar(query, {"id": frozen["id"]})
        confine_to_shared(session, frozen["id"], project, [campaign])
        seen = session.scalars(text("SELECT DISTINCT share_id FROM share_documents")).all()
    assert [str(one) for one in seen] == [frozen["id"]]
    assert other["id"] != frozen["id"]
