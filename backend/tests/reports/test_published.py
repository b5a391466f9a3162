"""What others published, as a source of a report and of its claims."""

import pytest

from backend.tests.reports.test_reports import body_of, words
from backend.tests.sources.published import study

RATE, LATE = "[redis / reads / 32 clients]", "[redis / reads / 32 clients / p99_us]"
TEXT = f"""{{{{others.figures}}}}

{{{{others.source}}}}

{{{{claim others: {RATE} is above 20000}}}}

{{{{claim others: {LATE} is below 1 ms}}}}

{{{{claim others: {RATE} > [redis / writes / 32 clients]}}}}

{{{{claim others: {RATE} is}}}}
"""


@pytest.fixture
def kept(call, project):
    def keep(**source):
        answer = call(
            "POST", "/published-sources", params={"project_id": project}, json=study(**source)
        )
        assert answer.status_code in {200, 201}, answer.text
        return answer.json()["id"]

    return keep


def saved(call, made, **more):
    answer = call("PUT", f"/reports/{made['id']}", {"If-Match": '"1"'}, json=body_of(made, **more))
    assert answer.status_code == 200, answer.text
    return answer.json()["document"]


def test_its_claims_are_held_against_what_is_printed(call, report, kept):
    made = report({"name": "others", "published_id": kept()}, template="comparison")
    assert "{{others.figures}}" in made["text"], "a template gives it a part of its own"
    found = saved(call, made, text=TEXT)
    said = words(found["nodes"])
    assert "25 k ops/s" in said
    assert "Paid for by" in said
    assert "holds as printed; not measured here" in said
    assert "cannot be true as printed" in said
    assert "holds here" not in said, "nothing of it was measured here"
    assert "Published by others, not measured here: Stores under load" in said
    assert len(found["withdrawn"]) == 2
    assert "does not tell it" in said
    assert "no claim that can be held" in said


def test_it_leaves_only_where_it_is_told_what_may_be_quoted(call, report, kept):
    open_, closed = kept(), kept(title="Another", licence="", quoted="")
    for source, leaves in ((open_, True), (closed, False)):
        made = report({"name": "others", "published_id": source})
        found = saved(call, made, text="{{others.figures}}", audience="public")
        assert ("25 k ops/s" in words(found["nodes"])) is leaves
        assert bool(found["withdrawn"]) is not leaves


def test_one_that_is_removed_is_withdrawn(call, report, kept):
    source = kept(title="A third")
    made = report({"name": "others", "published_id": source})
    assert call("DELETE", f"/published-sources/{source}").status_code == 204
    found = saved(call, made, text="{{others.figures}}")
    assert len(found["withdrawn"]) == 1
    assert "not there" in words(found["nodes"])
