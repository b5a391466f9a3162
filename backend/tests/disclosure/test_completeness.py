"""Which answers count, and what a disclosure's percentage means."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from weighhouse_backend.disclosure.completeness import Answer, fault_of, faults_of
from weighhouse_backend.disclosure.sheet import Fact, Part, disclosure_sheet, is_disclosed
from weighhouse_protocol.disclosure import Disclosure, SystemDisclosure

HONEST = Disclosure(
    sponsor="nobody",
    method_author="Ada Lovelace",
    affiliations="Two of us worked for the vendor of A until 2024.",
    conflicts="none",
    hosting="Our own machines, bought in 2025.",
    systems=(
        SystemDisclosure(
            system="a",
            configured_by="Ada Lovelace",
            tuning="neutral_default",
            tuning_effort="none",
        ),
    ),
    caveats=("One machine, so that nothing is said of networks.",),
)
NAMES = {"a": "A"}


@pytest.mark.parametrize(
    "text",
    [
        "", "   ", "x", "-", "?", "...", "xxxx", "x x x", "aaaaaaaa", "1234", "n/a", "N/A.", "TBD",
        "none of your business", "None of your Business!", "unknown", "blah blah blah", "asdf",
        "secret", "same as above", "“x”",
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", ["name", "statement"])
def test_an_answer_that_says_nothing_is_none(text, kind):
    assert fault_of(Answer("q", text, kind, may_be_none=True)) is not None


@pytest.mark.parametrize("text", ["us", "SAP", "Ada", "李雷", "the platform team", "Ørsted A/S"])
def test_a_name_may_be_short(text):
    assert fault_of(Answer("q", text)) is None


def test_a_statement_has_to_say_something():
    assert fault_of(Answer("q", "fine, really", "statement")) is None
    assert "too short" in (fault_of(Answer("q", "good", "statement")) or "")
    assert "too short" in (fault_of(Answer("q", "Incomprehensibly", "statement")) or "")


def test_nobody_is_an_answer_where_there_may_be_nobody():
    assert fault_of(Answer("sponsor", "Nobody.", may_be_none=True)) is None
    assert fault_of(Answer("method", "nobody")) is not None


@given(st.text(max_size=60))
def test_every_text_is_judged(text):
    assert isinstance(fault_of(Answer("q", text)), str | None)


def test_one_text_in_every_field_counts_nowhere():
    pasted = "We are a team that measures databases."
    answers = [
        Answer("sponsor", pasted, may_be_none=True),
        Answer("method author", f"{pasted} "),
        Answer("affiliations", pasted.upper(), "statement", may_be_none=True),
    ]
    assert all("the same text stands under" in (fault or "") for fault in faults_of(answers))


def test_one_team_may_have_done_it_all():
    answers = [
        Answer("sponsor", "Team Scales", may_be_none=True),
        Answer("method author", "Team Scales"),
        Answer("configured by", "Team Scales"),
        Answer("configured by", "Team Scales"),
        Answer("tuning effort", "Two days with the vendor's guide.", "statement"),
        Answer("tuning effort", "Two days with the vendor's guide.", "statement"),
        Answer("conflicts", "none", "statement", may_be_none=True),
        Answer("affiliations", "none", "statement", may_be_none=True),
    ]
    assert faults_of(answers) == [None] * 8


def test_nothing_said_is_nothing_complete():
    sheet = disclosure_sheet([Part(Disclosure(), NAMES)])
    assert (sheet.completeness, sheet.answered, sheet.basis) == (0.0, 0, "plan")
    assert {item.fault for item in sheet.items} == {"not answered"}


def test_five_answers_of_x_are_none():
    thrown = Disclosure(
        sponsor="x", method_author="x", affiliations="x",
        systems=(SystemDisclosure(system="a", configured_by="x", tuning="neutral_default"),),
    )  # fmt: skip
    sheet = disclosure_sheet([Part(thrown, NAMES)])
    assert sheet.answered == 1  # how it was tuned is a choice, and was made
    assert sheet.completeness < 0.2
    assert not is_disclosed(thrown, NAMES)


def test_an_honest_disclosure_is_complete():
    sheet = disclosure_sheet([Part(HONEST, NAMES)])
    assert [item.label for item in sheet.items if item.fault] == []
    assert sheet.completeness == 1.0
    assert is_disclosed(HONEST, NAMES)


def test_what_nobody_told_is_missing_whoever_should_have():
    facts = [Fact("where", "kernel", "6.1"), Fact("where", "disk", None)]
    sheet = disclosure_sheet([Part(HONEST, NAMES, facts)])
    assert sheet.basis == "measured"
    assert sheet.answered == sheet.asked - 1
    where = next(section for section in sheet.sections if section.id == "where")
    assert (where.asked, where.answered) == (3, 2)
    assert sum(section.asked for section in sheet.sections) == sheet.asked


def test_a_gap_names_the_field_that_closes_it():
    sheet = disclosure_sheet([Part(Disclosure(), NAMES)])
    paths = {item.path for item in sheet.items}
    assert "disclosure.systems[a].configured_by" in paths
    assert "disclosure.hosting" in paths
