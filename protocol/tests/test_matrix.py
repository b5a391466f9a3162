"""Which cells are measured, and at which load."""

import itertools
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from weighhouse_protocol.experiment import Experiment
from weighhouse_protocol.load import ClosedLoad, OpenLoad
from weighhouse_protocol.yaml_document import DocumentError, experiment_from_yaml, parse_experiment

FIXTURE = Path(__file__).parent.parent / "fixtures" / "experiment" / "good-operating-points.yaml"


@pytest.fixture
def study() -> Experiment:
    return experiment_from_yaml(FIXTURE.read_text(encoding="utf-8"))


def changed(study: Experiment, **parts: Any) -> Experiment:
    return parse_experiment(study.model_dump(mode="json") | parts)


def test_what_is_excluded_is_not_measured(study: Experiment) -> None:
    cells = list(study.cells)
    assert cells == [(0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1), (1, 0, 0), (1, 0, 1)]
    assert study.cells_count == 6
    assert [study.cells_under(place) for place in (0, 1)] == [4, 2]
    assert study.runs_count == 6 * study.least_repetitions


def test_each_target_has_its_own_point(study: Experiment) -> None:
    assert study.load_of(0, 0, 1) == ClosedLoad(clients=12)
    assert study.load_of(0, 1, 1) == ClosedLoad(clients=3), "under one workload alone"
    assert study.load_of(1, 0, 1) == OpenLoad(model="open", rate_per_second=30_000)
    assert study.load_of(1, 0, 0) == study.load_of(0, 0, 0) == ClosedLoad(clients=8)


def test_a_target_without_a_point_is_not_measured_there(study: Experiment) -> None:
    level = study.load_levels[1].model_dump(mode="json")
    only = changed(
        study,
        load_levels=[level | {"points": level["points"][:1]}, {"model": "closed", "clients": 2}],
    )
    assert (1, 0, 0) not in list(only.cells)
    assert only.cells_count == 5
    with pytest.raises(LookupError, match="no operating point of memcached under reads"):
        only.load_of(1, 0, 0)


def test_every_load_has_its_place_in_the_document(study: Experiment) -> None:
    paths = [path for path, _ in study.loads]
    assert paths == ["load_levels[0]"] + [f"load_levels[1].points[{n}].load" for n in range(3)]


REFUSED = [
    ({"exclusions": [{"reason": "why not"}]}, "name a target, a system or a workload"),
    ({"exclusions": [{"target": "radis"}]}, "'radis' is none of memcached, redis"),
    ({"exclusions": [{"workload": "scan"}]}, "exclusions[0].workload: 'scan' is none of reads"),
    ({"exclusions": [{"target": "redis", "load": "9 clients"}]}, "'9 clients' is none of"),
    ({"exclusions": [{"system": "redis"}]}, "nothing is left to measure of target redis"),
    (
        {"exclusions": [{"workload": "scans"}]},
        "nothing is left to measure of workload scans",
    ),
    (
        {"scenario": "sweep", "sweep": {"to": 64}, "repetitions": 2},
        "load_levels[1]: a search begins at one load for all targets",
    ),
]


@pytest.mark.parametrize(("parts", "words"), REFUSED)
def test_what_cannot_be_is_refused_with_its_place(
    study: Experiment, parts: dict[str, Any], words: str
) -> None:
    with pytest.raises(DocumentError) as caught:
        changed(study, **parts)
    assert words in " ".join(f"{one.path} {one.message}" for one in caught.value.errors)


@pytest.mark.parametrize(
    ("points", "words"),
    [
        (
            [{"target": "valkey", "load": {"model": "closed", "clients": 2}}],
            "'valkey' is none of memcached, redis",
        ),
        (
            [{"target": "redis", "workload": "x", "load": {"model": "closed", "clients": 2}}],
            "points[0].workload: 'x' is none of reads, scans",
        ),
        (
            [{"target": "redis", "load": {"model": "closed", "clients": 2}}] * 2,
            "redis has a point there already",
        ),
    ],
)
def test_points_of_nobody_are_refused(
    study: Experiment, points: list[dict[str, Any]], words: str
) -> None:
    with pytest.raises(DocumentError) as caught:
        changed(study, load_levels=[{"model": "own", "name": "mine", "points": points}])
    assert words in " ".join(f"{one.path} {one.message}" for one in caught.value.errors)


NAMES = ("a", "b", "c")
PARTS = st.fixed_dictionaries(
    {},
    optional={
        "target": st.sampled_from(NAMES),
        "workload": st.sampled_from(NAMES),
        "load": st.sampled_from([f"{n} clients" for n in (2, 3, 4)]),
    },
).filter(lambda part: set(part) - {"load"})


@given(st.lists(PARTS, max_size=4))
def test_cells_are_those_that_no_exclusion_names(parts: list[dict[str, str]]) -> None:
    document = {
        "slug": "any", "name": "Any", "repetitions": 1,
        "targets": [{"name": name, "system": "redis"} for name in NAMES],
        "workloads": [{"name": name} for name in NAMES],
        "load_levels": [{"model": "closed", "clients": n} for n in (2, 3, 4)],
    }  # fmt: skip
    wanted = [
        (target, workload, level)
        for target, workload, level in itertools.product(range(3), repeat=3)
        if not any(
            part.get("target", NAMES[target]) == NAMES[target]
            and part.get("workload", NAMES[workload]) == NAMES[workload]
            and part.get("load", f"{level + 2} clients") == f"{level + 2} clients"
            for part in parts
        )
    ]
    all_there = all({cell[at] for cell in wanted} == {0, 1, 2} for at in range(3))
    if not all_there:
        with pytest.raises(DocumentError, match="nothing is left"):
            parse_experiment(document | {"exclusions": parts})
        return
    experiment = parse_experiment(document | {"exclusions": parts})
    assert list(experiment.cells) == wanted
    assert experiment.cells_count == len(wanted) == experiment.most_runs_count
