"""What a picture of a comparison has room for."""

from weighhouse_backend.sharing.summaries import MOST_ROWS, Row, beside


def _place(name: str, sides: int) -> list[Row]:
    return [Row(f"side {side}, {name}", 1.0, 1.0, 1.0, "1/s") for side in range(sides)]


def test_all_sides_of_a_place_stand_beside_each_other() -> None:
    places = [_place(f"place {at}", 5) for at in range(4)]
    shown = beside(places)
    assert shown == (*places[0], *places[1])
    assert len(shown) <= MOST_ROWS


def test_everything_is_shown_that_there_is_room_for() -> None:
    places = [_place("one", 3), _place("two", 3)]
    assert beside(places) == (*places[0], *places[1])
    assert beside([]) == ()


def test_of_more_sides_than_there_is_room_for_the_first_are_shown() -> None:
    place = _place("crowded", MOST_ROWS + 3)
    assert beside([place, _place("next", 2)]) == tuple(place[:MOST_ROWS])
