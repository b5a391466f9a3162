"""Claims of studies: every kind can hold, not hold, stay open, and lack figures."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from weighhouse_judging.studies.claims import cells_of, judge_claims
from weighhouse_judging.studies.documents import PublishedFigure, Study
from weighhouse_judging.studies.language import Cell, Claim, Claims
from weighhouse_judging.studies.printed import printed

LOW = {"side": "redis", "workload": "balanced", "load": "1 client"}
HIGH = {"side": "redis", "workload": "balanced", "load": "32 clients"}
OTHER = {"side": "dragonfly", "workload": "balanced", "load": "32 clients"}
MEAN = {**HIGH, "figure": "mean_us"}
KINDS = {
    "range": {
        "kind": "range", "of": {"ratio": [HIGH, LOW]}, "at_least": 9, "at_most": 11,
    },
    "order": {"kind": "order", "of": [HIGH, OTHER]},
    "maximum": {"kind": "maximum", "of": HIGH, "among": [LOW, OTHER]},
    "near_linear": {
        "kind": "near_linear", "of": HIGH, "to": LOW, "times": 12, "within": 0.25,
    },
    "equals": {
        "kind": "equals", "of": {"sum": [HIGH, OTHER]}, "to": {"number": 19_000, "what": "in all"},
        "within": 0.1,
    },
    "spread": {"kind": "range", "of": {"spread": [LOW, HIGH, OTHER]}, "at_most": 12},
    "closed_loop": {"kind": "closed_loop", "throughput": HIGH, "latency": MEAN},
}  # fmt: skip
STEADY = (0.99, 1.0, 1.01, 0.995, 1.005, 1.0)
NEARLY_STILL = (0.9995, 1.0, 1.0005, 1.0, 0.9998, 1.0002)
NOISY = (0.4, 1.0, 1.9, 0.7, 1.3, 1.0)


def claim(test, **more):
    return Claim.model_validate(
        {"id": "one", "says": "Something.", "place": "page 1", "tests": [test], **more}
    )


def repeats(low=1_000, high=10_000, other=9_000, mean=3_000, noise=STEADY, several=6):
    """Medians of the cells, in repeats, by repetition."""
    values = {LOW["load"]: (LOW, low), "high": (HIGH, high), "other": (OTHER, other)}
    found = {
        (cell["side"], cell["workload"], cell["load"], "throughput", ""): {
            block: value * noise[(block + at) % len(noise)] for block in range(several)
        }
        for at, (cell, value) in enumerate(values.values())
        if value is not None
    }
    if mean is not None:
        found[(*list(HIGH.values()), "mean_us", "")] = {
            block: mean * noise[block] for block in range(several)
        }
    return found


def verdict(test, published=None, scale="small", more=None, **figures):
    asked = claim(test, **(more or {}))
    (found,) = judge_claims([asked], published or {}, repeats(**figures), scale)
    return found


FAILING = {
    "range": {"high": 20_000}, "order": {"other": 20_000}, "maximum": {"other": 20_000},
    "near_linear": {"high": 2_000}, "equals": {"other": 50_000}, "spread": {"other": 50_000},
    "closed_loop": {"mean": 9_000},
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_a_claim_of_each_kind_can_hold(kind):
    assert verdict(KINDS[kind]).verdict == "holds_here", verdict(KINDS[kind]).sentence


@pytest.mark.parametrize("kind", KINDS)
def test_a_claim_of_each_kind_can_fail(kind):
    found = verdict(KINDS[kind], **FAILING[kind])
    assert found.verdict == "does_not_hold_here", found.sentence
    assert found.sentence.endswith(".")


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "closed_loop"])
def test_noise_that_decides_nothing_is_said_so(kind):
    assert verdict(KINDS[kind], noise=NOISY).verdict == "cannot_tell"


@pytest.mark.parametrize("kind", KINDS)
def test_three_repeats_decide_nothing(kind):
    found = verdict(KINDS[kind], several=3)
    assert found.verdict == "cannot_tell"
    if kind not in {"order", "maximum"}:
        assert "3 repeats, a claim takes 5" in found.sentence


@pytest.mark.parametrize("kind", KINDS)
def test_without_a_cell_a_claim_is_not_measured(kind):
    missing = {"mean": None} if kind == "closed_loop" else {"high": None}
    found = verdict(KINDS[kind], **missing)
    assert found.verdict == "not_measured"
    assert "redis, balanced, 32 clients" in found.sentence


def published(**values):
    cells = {"low": LOW, "high": HIGH, "other": OTHER, "mean": MEAN}
    found = {}
    for name, text in values.items():
        cell = cells[name]
        figure = cell.get("figure", "throughput")
        key = (cell["side"], cell["workload"], cell["load"], figure, "")
        found[key] = printed(text, figure)
    return found


PRINTED = {"low": "1,000 ops/s", "high": "10,000 ops/s", "other": "9,000 ops/s", "mean": "3 ms"}
WRONG = {
    "range": {"high": "12,000 ops/s"}, "order": {"other": "10,500 ops/s"},
    "maximum": {"low": "10,500 ops/s"}, "near_linear": {"high": "8,000 ops/s"},
    "equals": {"other": "30,000 ops/s"}, "spread": {"other": "13,000 ops/s"},
    "closed_loop": {"mean": "4 ms"},
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_print_that_contradicts_itself_cannot_be_true_whatever_we_measured(kind):
    right = verdict(KINDS[kind], published(**PRINTED))
    assert right.verdict == "holds_here", right
    wrong = verdict(KINDS[kind], published(**PRINTED | WRONG[kind]))
    assert wrong.verdict == "cannot_be_true_as_printed"
    assert wrong.here[0].truth == "holds"
    assert wrong.measured.startswith("holds here: ")
    assert right.measured == ""


TEN_TO_ELEVEN = ({"printed": "10 to 11 times"}, {"at_least": 10, "at_most": 11})


@pytest.mark.parametrize("said", TEN_TO_ELEVEN)
@pytest.mark.parametrize(
    ("high", "truth"),
    [(9_400, "fails"), (9_770, "holds"), (11_400, "holds"), (11_600, "fails")],
)
def test_a_claims_numbers_stand_for_all_that_is_rounded_to_them(said, high, truth):
    test = {"kind": "range", "of": {"ratio": [HIGH, LOW]}, **said}
    figures = published(low="1,000.0 ops/s", high=f"{high:,}.0 ops/s")
    found = verdict(test, figures, low=1_000, high=high, noise=NEARLY_STILL)
    assert (found.printed[0].truth, found.here[0].truth) == (truth, truth)


def test_a_mark_that_nobody_measured_counts_exactly():
    test = {"kind": "range", "of": {"ratio": [HIGH, LOW]}, "printed": "below 10 times"}
    for high, truth in ((9_990, "holds"), (10_200, "fails")):
        figures = published(low="1,000.00 ops/s", high=f"{high:,}.00 ops/s")
        assert verdict(test, figures).printed[0].truth == truth


def test_a_number_beside_the_figures_was_rounded_too():
    test = {"kind": "equals", "of": HIGH, "to": {"number": "10k", "what": "asked"}, "within": 0}
    found = verdict(test, published(high="9,700 ops/s"))
    assert found.printed[0].truth == "holds"
    assert verdict(test, published(high="9,400 ops/s")).printed[0].truth == "fails"


def test_requests_under_way_by_rounded_figures():
    said = claim({"kind": "closed_loop", "throughput": HIGH, "latency": MEAN, "outstanding": 3000})
    (found,) = judge_claims([said], published(high="25.4 M ops/s", mean="119 µs"), {}, "small")
    assert found.verdict == "not_measured"
    (found,) = judge_claims(
        [said], published(high="7,083,583.57 ops/s", mean="0.45821 ms"), {}, "small"
    )
    assert found.verdict == "cannot_be_true_as_printed"
    assert "3,246 requests under way, of 3,000" in found.sentence


def test_a_percentile_bounds_the_mean_from_below():
    tail = {**LOW, "figure": "p99_us"}
    said = claim({"kind": "closed_loop", "throughput": LOW, "latency": tail})
    for text, verdict_ in (("436 ms", "cannot_be_true_as_printed"), ("436 µs", "not_measured")):
        key = (*LOW.values(), "p99_us", "")
        figures = published(low="3,348 ops/s") | {key: printed(text, "p99_us")}
        (found,) = judge_claims([said], figures, {}, "small")
        assert found.verdict == verdict_


def test_what_hangs_on_the_scale_is_asked_at_it_alone():
    more = {"scales": ["published"]}
    assert verdict(KINDS["range"], more=more).verdict == "not_measured"
    assert verdict(KINDS["range"], more=more, scale="published").verdict == "holds_here"


def test_combinations_fill_in_what_cells_leave_out():
    said = claim(
        {"kind": "order", "of": [{"load": "32 clients"}, {"load": "1 client"}]},
        each={"side": ["redis", "dragonfly"], "workload": ["balanced", "scans"]},
    )
    assert len(cells_of(said)) == 8
    assert Cell(side="dragonfly", workload="scans", load="1 client") in cells_of(said)
    (found,) = judge_claims([said], {}, repeats(), "small")
    assert [one.where for one in found.here][:2] == ["redis, balanced", "redis, scans"]
    (found,) = judge_claims([said], {}, repeats(), "small", {"redis": "Redis"})
    assert [one.where for one in found.here][:2] == ["Redis, balanced", "Redis, scans"]
    assert found.verdict == "not_measured"


def test_one_combination_that_fails_settles_a_claim():
    said = claim(
        {"kind": "order", "of": [{"load": "1 client"}, {"load": "32 clients"}]},
        each={"side": ["redis"], "workload": ["balanced", "scans"]},
    )
    (found,) = judge_claims([said], {}, repeats(), "small")
    assert found.verdict == "does_not_hold_here"


@given(st.floats(min_value=0.5, max_value=1e7), st.integers(0, 4))
def test_a_printed_figure_holds_what_it_was_rounded_from(value, decimals):
    found = printed(f"{value:,.{decimals}f} ops/s", "throughput")
    assert found.low <= value * (1 + 1e-12)
    assert found.high >= value * (1 - 1e-12)


@given(st.floats(min_value=0.05, max_value=20))
def test_a_steady_order_says_who_is_ahead(factor):
    found = verdict(KINDS["order"], other=10_000 * factor)
    if factor < 0.95:
        assert found.verdict == "holds_here"
    elif factor > 1.05:
        assert found.verdict == "does_not_hold_here"


@pytest.mark.parametrize("text", ["436", "about 436 ms", "436 ops/s", "-3 ms", "1.2.3 ms"])
def test_a_figure_without_its_unit_is_refused_with_examples(text):
    with pytest.raises(ValueError, match="for example"):
        printed(text, "p99_us")


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"tests": [{"kind": "range", "of": HIGH}]}, "a range has no bound"),
        ({"tests": [{"kind": "range", "of": HIGH, "printed": "fast"}]}, "is no printed number"),
        ({"tests": [{"kind": "range", "of": HIGH, "at_most": "10 ms"}]}, "is no printed number"),
        ({"tests": [{"kind": "range", "of": MEAN, "printed": "2 to 1 ms"}]}, "ends below"),
        ({"tests": [{"kind": "range", "of": HIGH, "at_least": 2, "at_most": 1}]}, "is above"),
        ({"tests": [{"kind": "order", "of": [HIGH]}]}, "at least 2"),
        ({"tests": [{"kind": "order", "of": [{**HIGH, "figure": "p98"}, LOW]}]}, "not known"),
        ({"tests": []}, "at least 1"),
    ],
)
def test_a_claim_that_says_nothing_is_refused(changed, message):
    with pytest.raises(ValidationError, match=message):
        Claim.model_validate({"id": "a", "says": "b", "place": "c", **changed})


def test_a_claim_stands_once():
    one = claim(KINDS["range"])
    with pytest.raises(ValidationError, match="one stands twice"):
        Claims(claims=(one, one))


def test_figures_of_a_study_are_of_its_sides_and_stand_once():
    side = {"name": "redis", "label": "Redis", "small": True}
    figure = {**LOW, "printed": "1,656 ops/s", "place": "section 1"}
    whole = {
        "name": "a", "title": "A", "order": 1, "asks": "What?", "answers": "This.", "source": None,
    }  # fmt: skip
    assert Study.model_validate({**whole, "sides": [side], "published": [figure]})
    with pytest.raises(ValidationError, match="stands twice"):
        Study.model_validate({**whole, "sides": [side], "published": [figure, figure]})
    other = {**figure, "side": "keydb"}
    with pytest.raises(ValidationError, match="is no side"):
        Study.model_validate({**whole, "sides": [side], "published": [other]})
    with pytest.raises(ValidationError, match="say why"):
        Study.model_validate({**whole, "sides": [{**side, "small": False}]})


def test_a_figure_of_a_text_says_what_is_wrong_with_it():
    with pytest.raises(ValidationError, match="no number and unit of p99_us"):
        PublishedFigure.model_validate(
            {**LOW, "figure": "p99_us", "printed": "fast", "place": "section 1"}
        )
