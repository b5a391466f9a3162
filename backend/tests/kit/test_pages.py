"""Lists by keyset: both ways, from either end, while rows come in; and the total."""

import datetime

import pytest
from sqlalchemy import select
from weighhouse_backend.identity.models import Organization
from weighhouse_backend.kit import pages
from weighhouse_backend.kit.ids import new_id
from weighhouse_backend.kit.pages import PageQuery, Place, decode_cursor, encode_cursor, page_of
from weighhouse_backend.kit.problems import BadCursor
from weighhouse_backend.kit.unit_of_work import unit_of_work

NOW = datetime.datetime(2026, 11, 20, tzinfo=datetime.UTC)
DAY = datetime.timedelta(days=1)


@pytest.fixture
def listed(session_factory, request):
    """Lists a test's own seven organizations, `6` the newest, and takes in more."""
    prefix = f"{abs(hash(request.node.name))}-"

    def add(name: str) -> None:
        with unit_of_work(session_factory) as session:
            row = Organization(id=new_id(), slug=prefix + name, name=name, created_at=NOW)
            session.add(row)

    for number in range(7):
        add(str(number))

    def read(limit: int = 3, cursor: str | None = None, *, total: bool = False):
        own = select(Organization).where(Organization.slug.startswith(prefix))
        query = PageQuery(limit=limit, cursor=cursor, total=total)
        with unit_of_work(session_factory) as session:
            return page_of(session, own, Organization.id, query, lambda row: row.name)

    read.add = add
    return read


def test_a_list_is_walked_to_its_end_and_back(listed):
    first = listed()
    assert (first.items, first.previous_cursor) == (["6", "5", "4"], None)
    second = listed(cursor=first.next_cursor)
    assert second.items == ["3", "2", "1"]
    last = listed(cursor=second.next_cursor)
    assert (last.items, last.next_cursor) == (["0"], None)
    assert listed(cursor=last.previous_cursor).items == second.items
    back = listed(cursor=second.previous_cursor)
    assert (back.items, back.previous_cursor) == (first.items, None)


def test_the_oldest_are_one_question_away(listed):
    oldest = listed(cursor="oldest")
    assert (oldest.items, oldest.next_cursor) == (["2", "1", "0"], None)
    assert listed(cursor=oldest.previous_cursor).items == ["5", "4", "3"]
    whole = listed(limit=7, cursor="oldest")
    assert (whole.next_cursor, whole.previous_cursor) == (None, None)


def test_on_the_way_back_the_first_page_is_whole(listed):
    third = listed(limit=2, cursor=listed(limit=5).next_cursor)
    assert third.items == ["1", "0"]
    back = listed(limit=6, cursor=third.previous_cursor)
    assert back.items == ["6", "5", "4", "3", "2", "1"], "not five of them, beginning in the middle"
    assert back.previous_cursor is None


def test_what_comes_in_meanwhile_moves_nothing(listed):
    first = listed()
    listed.add("7")
    assert listed(cursor=first.next_cursor).items == ["3", "2", "1"]
    back = listed(cursor=listed(cursor=first.next_cursor).previous_cursor)
    assert back.items == ["6", "5", "4"]
    assert listed(cursor=back.previous_cursor).items == ["7", "6", "5"]


def test_the_total_is_told_when_it_is_asked_for(listed):
    assert listed().total is None
    for cursor in (None, "oldest", listed().next_cursor):
        total = listed(cursor=cursor, total=True).total
        assert (total.count, total.is_exact) == (7, True)


def test_nobody_counts_without_end(listed, monkeypatch):
    monkeypatch.setattr(pages, "MOST_COUNTED", 5)
    total = listed(total=True).total
    assert (total.count, total.is_exact) == (5, False)
    monkeypatch.setattr(pages, "MOST_COUNTED", 7)
    assert listed(total=True).total.is_exact


def test_a_list_shown_in_another_way_keeps_its_place(listed):
    page = listed(cursor=listed().next_cursor, total=True)
    other = page.of(item * 2 for item in page.items)
    assert other.items == ["33", "22", "11"]
    assert other.model_dump(exclude={"items"}) == page.model_dump(exclude={"items"})


def test_an_instant_may_count_before_the_key(session_factory):
    """What was made first, but is the newest by its instant, comes first; equal instants by key."""
    instants = [NOW, NOW - DAY, NOW - DAY, NOW - 3 * DAY]
    with unit_of_work(session_factory) as session:
        for number, at in enumerate(instants):
            session.add(Organization(id=new_id(), slug=f"at-{number}", name="n", created_at=at))

    def read(limit: int, cursor: str | None = None):
        own = select(Organization).where(Organization.slug.startswith("at-"))
        query = PageQuery(limit=limit, cursor=cursor)
        with unit_of_work(session_factory) as session:
            return page_of(
                session, own, Organization.id, query, lambda row: row.slug[-1],
                at=Organization.created_at,
            )  # fmt: skip

    first = read(2)
    assert first.items == ["0", "2"]
    second = read(2, first.next_cursor)
    assert (second.items, second.next_cursor) == (["1", "3"], None)
    assert read(2, second.previous_cursor).items == ["0", "2"]
    assert read(3, "oldest").items == ["2", "1", "3"]
    with pytest.raises(BadCursor):
        read(2, encode_cursor(Place(new_id())))


def test_a_cursor_comes_back_as_it_went():
    for at in (None, NOW):
        for newer in (False, True):
            place = Place(new_id(), at, newer=newer)
            assert decode_cursor(encode_cursor(place)) == place
    older = encode_cursor(Place(new_id()))
    for wrong in ("", "x", "eyJhIjoxfQ", "W10", "WyJuZXdlciJd", "MQ", older[:-4], "oldest"):
        with pytest.raises(BadCursor):
            decode_cursor(wrong)


def test_a_cursor_of_another_order_is_none_of_a_list(listed):
    with pytest.raises(BadCursor):
        listed(cursor=encode_cursor(Place(new_id(), NOW)))
