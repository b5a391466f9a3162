"""Text that PostgreSQL and UTF-8 can keep."""

import json

import pytest
from pydantic import ValidationError
from weighhouse_protocol.report import Completion, Failure, TimelineMark
from weighhouse_protocol.text import mended, mended_json, numbered, unkept


@pytest.mark.parametrize(
    ("text", "kept"),
    [("plain é 🎉", "plain é 🎉"), ("a\x00b", "a\ufffdb"), ("\ud83c!\udc00", "\ufffd!\ufffd")],
)
def test_what_cannot_be_kept_is_replaced(text: str, kept: str) -> None:
    assert mended(text) == kept
    mark = TimelineMark(sequence=1, at_us=2, mark="m", label=text)
    assert json.loads(mended_json(mark))["label"] == kept
    assert TimelineMark.model_validate_json(mended_json(mark)).label == kept


def test_a_written_backslash_stays() -> None:
    mark = TimelineMark(sequence=1, at_us=2, mark="m", label="\\u0000")
    assert json.loads(mended_json(mark))["label"] == "\\u0000"


def test_documents_are_mended_to_the_depth() -> None:
    failure = Failure(kind="database", message="m", log_lines=("fine", "\x00\udead"))
    completion = Completion(fence=1, outcome="failed", failure=failure, events_count=0)
    told = json.loads(mended_json(completion))
    assert told["failure"]["log_lines"] == ["fine", "\ufffd\ufffd"]


def test_each_place_is_named() -> None:
    value = {"fine": [1, None, "x"], "a": [{"b\x00": "c"}, "\ud800"], "d": {"e": "\x00"}}
    assert list(unkept(value)) == [
        (("a", 0, "b\ufffd"), "U+0000"),
        (("a", 1), "U+D800"),
        (("d", "e"), "U+0000"),
    ]


@pytest.mark.parametrize("fence", [True, "1", 1.5])
def test_whole_numbers_of_agents_are_nothing_else(fence):
    with pytest.raises(ValidationError, match="fence"):
        Completion.model_validate({"fence": fence, "outcome": "completed", "events_count": 0})


def test_a_campaigns_number_has_the_sign_that_nobody_turns_into_a_link():
    assert numbered(12) == "№ 12"
