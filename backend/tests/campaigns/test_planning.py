"""Properties every plan has."""

import collections
import itertools

import pytest
from weighhouse_backend.campaigns.plan import PlannedCell, Progress, more, plan
from weighhouse_protocol.experiment import Experiment


def experiment(targets: int, workloads: int, levels: int, repetitions: int) -> Experiment:
    return Experiment.model_validate(
        {
            "slug": "plan",
            "name": "Plan",
            "targets": [{"name": f"t{i}", "system": "redis"} for i in range(targets)],
            "workloads": [{"name": f"w{i}"} for i in range(workloads)],
            "load_levels": [{"model": "closed", "clients": i + 1} for i in range(levels)],
            "repetitions": repetitions,
        }
    )


SHAPES = [(1, 1, 1, 1), (2, 1, 1, 5), (3, 2, 3, 4), (4, 3, 1, 2)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", [0, 1, 2**62])
def test_every_cell_is_there_once_and_every_repetition_of_it(
    shape: tuple[int, int, int, int], seed: int
) -> None:
    document = experiment(*shape)

    planned = plan(document, seed)

    assert len(planned.cells) == len(set(planned.cells)) == document.cells_count
    assert [run.position for run in planned.runs] == list(range(document.runs_count))
    wanted = set(itertools.product(planned.cells, range(1, shape[3] + 1)))
    assert {(run.cell, run.repetition) for run in planned.runs} == wanted


@pytest.mark.parametrize("shape", SHAPES)
def test_repetitions_are_blocks_and_targets_follow_each_other(
    shape: tuple[int, int, int, int],
) -> None:
    targets = shape[0]
    runs = plan(experiment(*shape), 7).runs

    assert [run.repetition for run in runs] == sorted(run.repetition for run in runs)
    for start in range(0, len(runs), targets):
        group = runs[start : start + targets]
        assert {run.cell.target_index for run in group} == set(range(targets))
        assert len({(run.cell.workload_index, run.cell.load_index) for run in group}) == 1


def test_the_same_seed_gives_the_same_plan_and_another_one_another() -> None:
    document = experiment(3, 2, 2, 3)

    assert plan(document, 5) == plan(document, 5)
    assert plan(document, 5).runs != plan(document, 6).runs


def test_all_targets_are_asked_for_the_same_operations_and_no_repetition_is_like_another() -> None:
    runs = plan(experiment(3, 2, 2, 3), 11).runs

    seeds = collections.defaultdict(set)
    for run in runs:
        seeds[run.cell.workload_index, run.cell.load_index, run.repetition].add(run.seed)
    assert all(len(found) == 1 for found in seeds.values())
    assert len({run.seed for run in runs}) == len(seeds)
    assert all(0 <= run.seed < 2**53 for run in runs)


def test_no_target_is_always_first() -> None:
    runs = plan(experiment(2, 1, 1, 400), 3).runs

    first = sum(run.cell.target_index == 0 for run in runs[::2])
    assert 140 < first < 260  # 400 fair coins leave this with probability below 1e-8


def test_the_order_is_pinned() -> None:
    """A change of the rule would silently change what a recorded seed means."""
    order = [
        (run.repetition, run.cell.workload_index, run.cell.target_index)
        for run in plan(experiment(2, 2, 1, 2), 42).runs
    ]

    assert order == [
        (1, 0, 1), (1, 0, 0), (1, 1, 1), (1, 1, 0), (2, 1, 0), (2, 1, 1), (2, 0, 1), (2, 0, 0),
    ]  # fmt: skip


def progress(document: Experiment, seed: int) -> Progress:
    runs = plan(document, seed).runs
    last = {(run.cell.workload_index, run.cell.load_index): run.repetition for run in runs}
    return Progress(last, len(runs), max(run.block for run in runs) + 1)


def test_added_blocks_are_those_that_would_have_been_planned_at_once() -> None:
    short, long = experiment(3, 2, 2, 3), experiment(3, 2, 2, 5)

    added = more(short, 11, plan(short, 11).cells, progress(short, 11), count=2)

    assert plan(short, 11).runs + added == plan(long, 11).runs


def test_an_added_block_holds_the_cells_asked_for_and_no_others() -> None:
    document = experiment(3, 2, 1, 5)
    wanted = [PlannedCell(0, 1, 0), PlannedCell(2, 1, 0)]

    added = more(document, 11, wanted, progress(document, 11), count=2)

    assert [run.repetition for run in added] == [6, 6, 7, 7]
    assert [run.position for run in added] == [30, 31, 32, 33]
    assert [run.block for run in added] == [10, 10, 11, 11]
    assert {run.cell for run in added[:2]} == {run.cell for run in added[2:]} == set(wanted)
    assert [run.seed for run in added[::2]] == [run.seed for run in added[1::2]]


def test_combinations_go_on_counting_for_themselves() -> None:
    document = experiment(2, 2, 1, 2)
    so_far = Progress({(0, 0): 2, (1, 0): 6}, runs=16, blocks=8)

    added = more(document, 3, plan(document, 3).cells, so_far)

    repetitions = {(run.cell.workload_index, run.repetition) for run in added}
    assert repetitions == {(0, 3), (1, 7)}


def test_twins_share_block_and_seed_and_neither_is_always_first() -> None:
    document = experiment(2, 1, 1, 100)

    runs = plan(document, 5, twins=2).runs

    blocks = collections.defaultdict(list)
    for run in runs:
        blocks[run.block].append(run)
    assert len(blocks) == 100
    for block in blocks.values():
        sides = {(run.cell.target_index, run.twin) for run in block}
        assert sides == {(0, 0), (0, 1), (1, 0), (1, 1)}
        assert len({run.seed for run in block}) == 1
    places = {(0, 0): 0, (0, 1): 0, (1, 0): 0, (1, 1): 0}
    for block in blocks.values():
        places[block[0].cell.target_index, block[0].twin] += 1
    assert all(8 < count < 45 for count in places.values())


def chained(targets: int, levels: int, repetitions: int) -> Experiment:
    """Three workloads that are measured in another order than they are listed."""
    document = experiment(targets, 3, levels, repetitions).model_dump(mode="json")
    chain = [{"measure": "w2"}, {"measure": "w0"}, {"measure": "w1"}]
    return Experiment.model_validate(document | {"phases": {"chain": chain}})


@pytest.mark.parametrize("twins", [1, 2])
def test_a_chain_keeps_its_order_and_is_led_by_its_first(twins: int) -> None:
    document = chained(targets=2, levels=2, repetitions=3)
    planned = plan(document, 7, twins=twins)
    assert set(planned.cells) == {PlannedCell(*cell) for cell in document.cells}
    assert [run.position for run in planned.runs] == list(range(3 * 2 * 2 * 3 * twins))
    for begin in range(0, len(planned.runs), 3):
        first, *others = links = planned.runs[begin : begin + 3]
        assert [link.cell.workload_index for link in links] == [2, 0, 1]
        assert first.leader is None
        assert {other.leader for other in others} == {first.position}
        shared = {
            (link.cell.target_index, link.cell.load_index, link.repetition, link.block, link.seed,
             link.twin)
            for link in links
        }  # fmt: skip
        assert len(shared) == 1, "one system, one block, one seed"
    blocks = collections.Counter(run.block for run in planned.runs)
    assert set(blocks.values()) == {3 * 2 * twins}, "all sides, and whole chains"


def test_more_of_a_link_is_more_of_its_chain() -> None:
    document = chained(targets=2, levels=1, repetitions=2)
    planned = plan(document, 7)
    so_far = Progress({(2, 0): 2}, runs=len(planned.runs), blocks=2)
    added = more(document, 7, [PlannedCell(1, 0, 0)], so_far)
    assert [run.cell for run in added] == [PlannedCell(1, link, 0) for link in (2, 0, 1)]
    assert [run.position for run in added] == [12, 13, 14]
    assert [run.leader for run in added] == [None, 12, 12]
    assert {run.repetition for run in added} == {3}


def test_the_first_of_a_chain_pays_for_deployment_and_load() -> None:
    first, *others = plan(chained(targets=1, levels=1, repetitions=1), 7).runs
    assert all(first.estimated_seconds > other.estimated_seconds for other in others)
