"""Claims in a report: held against what was measured, and withdrawn where they cannot be."""

import pytest
from weighhouse_backend.reports.documents import document
from weighhouse_backend.reports.items import Claimed, Content, Resolved
from weighhouse_backend.reports.nodes import html_of
from weighhouse_backend.reports.references import read_claim

from backend.tests.disclosure.policed import REASON
from backend.tests.disclosure.under_terms import TARGETS
from backend.tests.reports.test_reports import body_of, words
from backend.tests.results.laboratory import experiment
from backend.tests.results.reports import whole_run

FREE, KEPT = "[free / balanced / 4 clients]", "[kept / balanced / 4 clients]"


def sound(order):
    """A run whose clients were busy all the time."""
    seed = order["seed"]
    return whole_run(seed=seed % 1000, rate=200 + seed % 3, median_us=17_000.0)


@pytest.fixture(scope="module")
def enough(laboratory):
    """A campaign with as many repeats as a claim takes."""
    document = experiment("claimed", targets=TARGETS, repetitions=5)
    return laboratory.carry_out(document, sound)


@pytest.fixture(scope="module")
def few(laboratory):
    """One with fewer."""
    return laboratory.carry_out(experiment("few", targets=TARGETS, repetitions=2), sound)


@pytest.fixture
def says(call, report):
    """The document of a report that says something, as text, and what is withdrawn in it."""

    def said(text, campaign, **more):
        made = report({"name": "ours", "campaign_id": campaign}, **more)
        saved = call(
            "PUT", f"/reports/{made['id']}", {"If-Match": '"1"'}, json=body_of(made, text=text)
        )
        assert saved.status_code == 200, saved.text
        document = saved.json()["document"]
        return words(document["nodes"]), document["withdrawn"], made["id"]

    return said


@pytest.mark.parametrize(
    ("line", "verdict"),
    [
        (f"{FREE} is above 100", "holds here"),
        (f"{FREE} is below 100", "does not hold here"),
        (f"{FREE} > {KEPT}", "does not hold here"),
        (f"ratio({FREE}, {KEPT}) is 0.5 to 2 times", "holds here"),
        ("monotone([free / balanced]) in clients", None),
        ("[free / balanced / 64 clients] is above 3", None),
        ("[free / balanced / 4 clients / p99_us] is below 1 h", None),
    ],
)
def test_a_claim_is_held_against_what_was_measured(says, enough, line, verdict):
    said, withdrawn, _ = says(f"It is so: {{{{claim ours: {line}}}}}\n\nEnd.", enough)
    sentence = said.partition("It is so:")[2].partition("End.")[0]
    assert "{{" not in said
    if verdict is None:
        assert "[withdrawn: " in sentence
        assert len(withdrawn) == 1
    else:
        assert verdict in sentence, sentence
        assert "/s (" in sentence or "×" in sentence, "with the figures"
        assert withdrawn == []


def test_figures_that_cannot_be_true_decide_nothing(says, campaign):
    said, withdrawn, _ = says(f"{{{{claim {FREE} is above 100}}}}", campaign)
    assert "cannot tell.  The figures of Redis" in said
    assert "cannot be true: Latency leaves out clients' time" in said
    assert withdrawn == []


def test_too_few_repeats_decide_nothing(says, few):
    said, _, _ = says(f"{{{{claim {FREE} is above 100}}}}", few)
    assert "cannot tell" in said
    assert "repeats, a claim takes 5" in said
    assert "“Redis" in said, "its cells are told as people read them"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("redis is fast", "is no cell"),
        ("[other / balanced / 4 clients] > 3", "other is none of free, kept"),
        (f"{FREE} is above 100 | {KEPT}", "this is no claim that can be held"),
    ],
)
def test_what_cannot_be_read_is_withdrawn_with_what_would_be_right(says, enough, line, reason):
    said, withdrawn, _ = says(f"{{{{claim ours: {line}}}}}", enough)
    assert reason in withdrawn[0]
    assert "Withdrawn: " in said


def test_over_a_study_it_is_what_the_study_says_itself(call, report, closed):
    made = report({"name": "study", "study": "policed"}, template="study")
    first, second = (f"[{one} / balanced / 4 clients]" for one in ("free", "closed"))
    text = f"{{{{study.claims}}}}\n\n{{{{claim {first} > {second}}}}}"
    draft = call("POST", f"/reports/{made['id']}/draft", json=body_of(made, text=text)).json()
    assert draft["document"]["withdrawn"] == []
    said = words(draft["document"]["nodes"]).partition("What has to be known")[0]
    table, _, claim = said.partition("“")
    verdict = next(one for one in ("cannot tell", "does not hold", "holds here") if one in table)
    assert verdict in claim


def test_of_several_sources_one_is_named(says, call, report, enough, campaign):
    made = report({"name": "a", "campaign_id": enough}, {"name": "b", "campaign_id": campaign})
    text = f"{{{{claim {FREE} is above 100}}}}"
    draft = call("POST", f"/reports/{made['id']}/draft", json=body_of(made, text=text)).json()
    assert "say of which source, as {{claim NAME: …}}" in draft["document"]["withdrawn"][0]
    offers = [one for one in draft["offers"] if one["kind"] == "claim"]
    assert [one["source"] for one in offers] == ["a", "b"]
    text = offers[0]["reference"]
    again = call("POST", f"/reports/{made['id']}/draft", json=body_of(made, text=text)).json()
    assert again["document"]["withdrawn"] == []
    assert "“" in words(again["document"]["nodes"])


def test_a_claim_of_what_may_not_be_shown_is_withdrawn_everywhere(call, says, closed):
    override = call(
        "POST", f"/campaigns/{closed}/overrides",
        json={"system_id": "memcached", "audience": "others", "reason": REASON},
    ).json()  # fmt: skip
    line = "claim ours: [free / balanced / 4 clients] > [closed / balanced / 4 clients]"
    said, withdrawn, made = says(f"{{{{{line}}}}}", closed, audience="others")
    assert withdrawn == []
    assert "cannot tell" in said.partition("What has to be known")[0]
    assert call("POST", f"/reports/{made}/editions").is_success
    assert call("POST", f"/overrides/{override['id']}/end").is_success
    seen = [
        words(call("GET", f"/reports/{made}").json()["document"]["nodes"]),
        words(call("GET", f"/reports/{made}/editions/1").json()["document"]["nodes"]),
        call("GET", f"/reports/{made}/file", params={"form": "html"}).text,
        call("GET", f"/reports/{made}/file", params={"form": "markdown", "edition": 1}).text,
    ]
    for text in seen:
        said = text.partition("What has to be known")[0]
        assert "withdrawn" in said.lower()
        assert "Memcached" in said, "the reason names the product"
        assert "cannot tell" not in said


def test_a_verdict_is_read_without_its_colour():
    item = Claimed(says="“A” > “B”", verdict="holds_here", words="holds here", why="2 > 1.")
    text = "{{claim a: [x] > [y]}}"
    resolved = Resolved(items={"claim a: [x] > [y]": item}, notes={})
    html = html_of(document(Content(title="T", text=text, about=(), resolved=resolved)))
    assert (
        '<p class="claim holds-here">“A” &gt; “B”: <strong>holds here.</strong> 2 &gt; 1.</p>'
        in (html)
    )


def test_claims_are_told_from_other_references():
    assert read_claim("claim ours: [a / b] > [c / b]").source == "ours"
    assert read_claim("claim ratio([a / b], [c / b]) is 2 times").source == ""
    assert read_claim("claim.throughput(a; b; c)") is None
    assert read_claim("claimed") is None
