"""The experiment document: what is accepted, what is refused, and what the refusal says."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
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
