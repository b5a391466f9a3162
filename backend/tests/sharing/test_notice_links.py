"""What messages link to, whoever gets them can open: members their pages, readers of a channel a
link to the campaign or series alone.
"""

import ast
from dataclasses import replace
from uuid import UUID, uuid4

import pytest
from sqlalchemy import select
from weighhouse_backend.alerts.models import Alert, ChangePoint
from weighhouse_backend.alerts.states import AlertKind
from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.notices.deliveries import Parcel
from weighhouse_backend.notices.kinds import ChannelKind, NoticeKind, OpenTo
from weighhouse_backend.notices.messages import FOR_MEMBERS, Message
from weighhouse_backend.series.models import Series
from weighhouse_backend.sharing.models import Share
from weighhouse_backend.sharing.notice_links import NOT_OTHERS, TAKEN_BACK, NoticeLinkService
from weighhouse_protocol import pages
from weighhouse_testing.services import transaction_of
from weighhouse_testing.tree import text_of, tracked

PAGES = {
    NoticeKind.REGRESSION: {"alert"},
    NoticeKind.CAMPAIGN_DONE: {"campaign"},
    NoticeKind.CAMPAIGN_FAILED: {"campaign"},
    NoticeKind.MISSED_RUN: {"alert"},
    NoticeKind.AGENT_SILENT: {"alert"},
    NoticeKind.AGENT_RESTING: {"agent"},
    NoticeKind.QUOTA: {"settings"},
    NoticeKind.CHALLENGE: {"campaign"},
    NoticeKind.REPLY: {"campaign"},
}
"""The page that each kind links to, as `pages` makes it."""
SHOWS = {
    "alert": "/alerts/{alert}", "campaign": "/campaigns/{campaign}", "agent": "/agents/{agent}",
    "settings": "/usage?project_id={project}",
}  # fmt: skip
"""What such a page reads."""
SHAREABLE = {kind for kind, made in PAGES.items() if made == {"campaign"}} | {NoticeKind.REGRESSION}


def test_every_kind_has_a_page_that_is_known_to_this_test():
    assert set(PAGES) == set(NoticeKind)
    made = set()
    for name in tracked(".py"):
        source = text_of(name)
        if not name.startswith("backend/weighhouse_backend/") or "notify(" not in source:
            continue
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "notify":
                (path,) = [one.value for one in node.keywords if one.arg == "path"]
                assert isinstance(path, ast.Call), f"{name}: {ast.unparse(path)}"
                made.add(path.func.attr)
    assert made == set().union(*PAGES.values()), "say who can open it, and try it below"


@pytest.fixture(scope="module")
def things(laboratory, campaign, series, session_factory, tenants):
    """Ids of what notices tell of."""
    now = SystemClock().now()
    with unit_of_work(session_factory) as session:
        row = session.get_one(Series, UUID(series))
        alert = Alert(
            project_id=row.project_id, kind=AlertKind.CHANGE, experiment_id=row.experiment_id,
            raised_at=now, state_at=now,
        )  # fmt: skip
        session.add(alert)
        session.flush()
        point = ChangePoint(
            project_id=row.project_id, series_id=row.id, campaign_id=UUID(campaign),
            alert_id=alert.id, at=now, before=1.0, after=2.0, relative=1.0, p_value=0.001,
            autocorrelation=0.0, status="confirmed", found_at=now, confirmed_at=now,
            profile="watch",
        )  # fmt: skip
        missed = Alert(
            project_id=row.project_id, kind=AlertKind.MISSED_RUN, experiment_id=row.experiment_id,
            raised_at=now, state_at=now,
            details={"times": 1, "first_at": None, "last_at": None, "reason": "Busy."},
        )  # fmt: skip
        session.add_all([point, missed])
        session.flush()
        found = {"alert": alert.id, "missed": missed.id, "project": row.project_id}
    yield {**found, "campaign": campaign, "agent": laboratory.get("/agents")["items"][0]["id"]}
    with unit_of_work(session_factory) as session:
        for name in ("alert", "missed"):
            session.delete(session.get_one(Alert, found[name]))


def path_of(kind, things):
    """As the platform's own code makes it."""
    (made,) = PAGES[kind]
    if kind in {NoticeKind.MISSED_RUN, NoticeKind.AGENT_SILENT}:
        return pages.alert(things["missed"])
    return getattr(pages, made)("usage" if made == "settings" else things[made])


def a_message(kind, things, **more):
    path = path_of(kind, things)
    facts = {"title": "A title", "words": "", "url": f"https://here{path}", "project": "Main"}
    return Message(
        id=uuid4(), kind=kind, project_id=UUID(str(things["project"])), at=SystemClock().now(),
        path=path, **{**facts, **more},
    )  # fmt: skip


@pytest.fixture
def links(session_factory, settings):
    """A parcel to a channel as it goes out."""

    def linked(*messages, channel="Board", open_to=OpenTo.READERS):
        parcel = Parcel(uuid4(), messages, ChannelKind.WEBHOOK, channel=channel, open_to=open_to)
        with transaction_of(session_factory, settings) as services:
            return services.get(NoticeLinkService).linked(parcel).messages

    return linked


@pytest.mark.parametrize("kind", list(NoticeKind))
def test_a_viewer_can_open_what_they_are_told_of(kind, things, call, client):
    (made,) = PAGES[kind]
    assert call("GET", SHOWS[made].format(**things), "viewer").status_code == 200
    client.cookies.clear()
    nobody = client.get(f"/api/v1{SHOWS[made].format(**things)}")
    assert nobody.status_code == 401, "and nobody else"


@pytest.mark.parametrize("kind", list(NoticeKind))
def test_readers_of_a_channel_can_open_what_can_be_shown(kind, things, links, visit):
    (message,) = links(a_message(kind, things))
    if kind not in SHAREABLE:
        assert message.opens_for == FOR_MEMBERS
        assert message.url == f"https://here{path_of(kind, things)}"
        return
    about = visit("", message.url)
    assert about.status_code == 200, about.text
    kinds = {"alert": "series", "campaign": "campaign"}
    assert about.json()["kind"] == kinds[next(iter(PAGES[kind]))]
    assert message.opens_for == f"whoever has it, until {about.json()['expires_at'][:10]}"


def test_a_channel_of_members_links_to_their_pages(things, links):
    message = a_message(NoticeKind.CAMPAIGN_DONE, things)
    assert links(message, open_to=OpenTo.MEMBERS) == (message,)


def test_a_thing_is_shared_once_and_not_again_when_it_was_taken_back(things, links, call, visit):
    message = a_message(NoticeKind.CAMPAIGN_DONE, things)
    (first,), (again,) = links(message, channel="Once"), links(message, channel="Once")
    assert first.url == again.url
    listed = call("GET", "/shares", project_id=str(things["project"])).json()["items"]
    (row,) = [one for one in listed if one["made_by"] == "channel Once"]
    assert row["url"] == first.url
    call("POST", f"/shares/{row['id']}/revoke")
    (after,) = links(message, channel="Once")
    assert (after.url, after.opens_for) == (message.url, TAKEN_BACK)
    assert visit("", first.url).status_code == 404


def test_what_may_not_be_shown_to_others_is_for_members(things, closed, links, session_factory):
    told = a_message(NoticeKind.CAMPAIGN_DONE, {**things, "campaign": closed})
    (message,) = links(told)
    assert message == replace(told, opens_for=NOT_OTHERS)
    with unit_of_work(session_factory) as session:
        query = select(Share).where(Share.campaign_id == UUID(str(closed)))
        assert session.scalars(query.where(Share.made_by == "channel Board")).all() == []


def test_a_channel_shows_things_to_its_readers_by_leave_of_who_may_share(call, things):
    wanted = {
        "project_id": str(things["project"]), "kind": "webhook", "name": "For readers",
        "address": "https://hooks.example/secret", "open_to": "readers",
    }  # fmt: skip
    assert call("POST", "/notices/channels", "member", **wanted).status_code == 403
    made = call("POST", "/notices/channels", "maintainer", **wanted)
    assert made.status_code == 201, made.text
    assert made.json()["open_to"] == "readers"
