"""The experiment document: what is accepted, what is refused, and what the refusal says."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from weighhouse_protocol.load import ClosedLoad, OpenLoad
from weighhouse_protocol.scenarios import varied
from weighhouse_protocol.yaml_document import (
    DocumentError,
    experiment_from_yaml,
    experiment_to_yaml,
    load_yaml,
    parse_experiment,
)

FIXTURES = Path(__file__).parent.parent / "fixtures" / "experiment"
GOOD = sorted(FIXTURES.glob("good-*.yaml"))
BAD = json.loads((FIXTURES / "bad.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", GOOD, ids=lambda p: p.stem)
def test_a_written_experiment_reads_back_equal(path: Path) -> None:
    experiment = experiment_from_yaml(path.read_text(encoding="utf-8"))
    text = experiment_to_yaml(experiment)
    assert experiment_from_yaml(text) == experiment
    assert experiment_to_yaml(experiment_from_yaml(text)) == text


@pytest.mark.parametrize("case", BAD, ids=lambda c: c["why"])
def test_a_bad_document_is_refused_with_place_and_remedy(case: dict[str, Any]) -> None:
    data = load_yaml((FIXTURES / "good-minimal.yaml").read_text(encoding="utf-8"))
    changed = copy.deepcopy(data)
    *way, last = case["change"]["path"]
    node: Any = changed
    for part in way:
        node = node[part]
    node[last] = case["change"]["value"]
    with pytest.raises(DocumentError) as caught:
        parse_experiment(changed)
    errors = {error.path: error for error in caught.value.errors}
    assert case["error_path"] in errors
    said = errors[case["error_path"]]
    assert case["says"] in f"{said.message} {said.expected}"


def test_a_yaml_error_names_its_line() -> None:
    with pytest.raises(DocumentError) as caught:
        experiment_from_yaml("slug: a\nname: [unclosed\n")
    assert caught.value.errors[0].line == 3


def test_a_key_that_stands_twice_is_refused() -> None:
    with pytest.raises(DocumentError, match="stands twice") as caught:
        load_yaml("slug: a\nname: b\nslug: c\n")
    assert caught.value.errors[0].line == 3


@pytest.mark.parametrize("text", ["", "- a\n- b\n", "just text"])
def test_what_is_no_mapping_is_refused(text: str) -> None:
    with pytest.raises(DocumentError, match="empty or no mapping"):
        load_yaml(text)


def test_counts_of_the_matrix() -> None:
    experiment = experiment_from_yaml((FIXTURES / "good-full.yaml").read_text(encoding="utf-8"))
    assert experiment.cells_count == 2 * 1 * 2
    assert experiment.runs_count == 20


@pytest.mark.parametrize(
    ("repetitions", "least", "most", "half_width"),
    [
        (5, 5, 5, None),
        ({}, 5, 30, None),
        ({"at_least": 6, "at_most": 12, "until": "decided"}, 6, 12, None),
        ({"until": {"half_width_percent": 2}}, 5, 30, 0.02),
    ],
)
def test_repetitions_are_a_number_or_a_rule(
    repetitions: Any, least: int, most: int, half_width: float | None
) -> None:
    data = load_yaml((FIXTURES / "good-minimal.yaml").read_text(encoding="utf-8"))
    experiment = parse_experiment(data | {"repetitions": repetitions})

    assert (experiment.least_repetitions, experiment.most_repetitions) == (least, most)
    assert experiment.runs_count == experiment.cells_count * least
    assert experiment.most_runs_count == experiment.cells_count * most
    assert (experiment.sequential is None) == isinstance(repetitions, int)
    if experiment.sequential is not None:
        assert experiment.sequential.half_width == half_width
    assert experiment_from_yaml(experiment_to_yaml(experiment)) == experiment


@pytest.mark.parametrize(
    ("changes", "again"),
    [
        ({}, True),
        ({"repetitions": {"at_least": 6, "at_most": 12}}, True),
        ({"thresholds": {"confirm": False}}, False),
        ({"gate": {"base": "beside:branch:main"}}, False),
        ({"gate": {"base": "none"}}, False),
        ({"gate": {"base": "branch:beside"}}, True),
        ({"scenario": "noise"}, False),
    ],
)
def test_a_second_measurement_has_the_first_repetitions_of_each_cell(
    changes: dict[str, Any], again: bool
) -> None:
    data = load_yaml((FIXTURES / "good-minimal.yaml").read_text(encoding="utf-8"))
    experiment = parse_experiment(data | {"repetitions": 5} | changes)
    first = experiment.cells_count * experiment.first_repetitions
    assert experiment.again_runs_count == (first if again else 0)


def test_of_a_search_nothing_is_measured_a_second_time() -> None:
    assert parse_experiment(sweep()).again_runs_count == 0


def sweep(**changes: Any) -> dict[str, Any]:
    """A document whose loads are chosen, with other parts."""
    document = dict(load_yaml((FIXTURES / "good-sweep.yaml").read_text(encoding="utf-8")))
    return document | changes


def closed(clients: int) -> dict[str, Any]:
    """A closed load."""
    return {"model": "closed", "clients": clients}


def said_of(document: dict[str, Any]) -> str:
    with pytest.raises(DocumentError) as caught:
        parse_experiment(document)
    return str(caught.value)


def test_a_search_is_counted_by_the_points_it_may_take() -> None:
    found = parse_experiment(sweep(load_levels=[closed(1), closed(3) | {"pipeline": 2}]))
    assert [found.most_points(level) for level in (0, 1)] == [1 + 6 + 3, 1 + 5 + 3]
    assert (found.runs_count, found.most_runs_count) == (2 * 3, (10 + 9) * 3)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"load_levels": [closed(64)]}, "begins at 64, and the search ends at 64"),
        ({"load_levels": [closed(1), closed(2)]}, "begins the same search"),
        ({"sweep": {"to": 20_000}}, "a load level has at most 10,000"),
        ({"repetitions": {"at_most": 9}}, "have to be a number under `scenario: sweep`"),
    ],
)
def test_a_search_that_leads_nowhere_is_refused(changes: dict[str, Any], words: str) -> None:
    assert words in said_of(sweep(**changes))


def test_a_rate_that_varies_keeps_its_parts() -> None:
    load = OpenLoad(model="open", rate_per_second=100, operation_rates={"read": 75, "update": 25})
    faster = varied(load, 300)
    assert isinstance(faster, OpenLoad)
    assert faster.rate_per_second == 300
    assert faster.operation_rates == {"read": 225, "update": 75}
    assert varied(ClosedLoad(clients=4, pipeline=3), 7) == ClosedLoad(clients=7, pipeline=3)


@pytest.mark.parametrize(
    "text",
    [
        "\x19a",
        "? [a]\n: b",
        "at: 2001-99-99",
        "a: " + "[" * 5000,
        "a: &a [1,1,1,1,1,1,1,1]\n"
        + "".join(
            f"{n}: &{n} [{', '.join([f'*{p}'] * 9)}]\n"
            for p, n in zip("abcde", "bcdef", strict=True)
        ),
        "a: &a [*a]",
        "a: " + "9" * 5000,
    ],
)
def test_what_yaml_stumbles_over_is_refused_as_a_document(text):
    with pytest.raises(DocumentError):
        load_yaml(text)
