"""Chained phases in an experiment: what may follow what on one loaded system."""

from typing import Any

import pytest
import yaml
from weighhouse_protocol.yaml_document import (
    DocumentError,
    experiment_from_yaml,
    experiment_to_yaml,
)

WRITES: dict[str, Any] = {"name": "writes", "operations": {"update": 0.9, "read": 0.1}}
READS: dict[str, Any] = {"name": "reads", "operations": {"read": 1.0}}
CHAIN = [{"measure": "writes"}, {"measure": "reads", "warmup_seconds": 0}]


def document(**changes: Any) -> str:
    base = {
        "slug": "chained",
        "name": "Chained",
        "targets": [{"name": "redis", "system": "redis"}, {"name": "other", "system": "redis"}],
        "workloads": [READS, WRITES],
        "load_levels": [{"model": "closed", "clients": 2}, {"model": "closed", "clients": 4}],
        "phases": {"measure_seconds": 7, "chain": CHAIN},
    }
    return str(yaml.safe_dump(base | changes, sort_keys=False))


def test_links_stand_in_their_own_order_and_have_their_own_lengths() -> None:
    read = experiment_from_yaml(document())
    assert read.chain == (1, 0)
    assert read.phases.before("reads") == ("writes",)
    assert read.phases.before("writes") == ()
    assert read.phases.before("somebody else's") == ()
    own = read.phases.under("reads")
    assert (own.warmup_seconds, own.measure_seconds, own.chain) == (0, 7, ())
    assert read.phases.under("writes").warmup_seconds == 5
    assert read.runs_count == 2 * 2 * 2 * 5


def test_a_chain_survives_being_written_and_read() -> None:
    read = experiment_from_yaml(document())
    again = experiment_from_yaml(experiment_to_yaml(read))
    assert again == read
    assert again.phases.chain[1].warmup_seconds == 0
    assert again.phases.chain[0].warmup_seconds is None


def test_without_a_chain_nothing_is_chained() -> None:
    read = experiment_from_yaml(document(phases={"measure_seconds": 7}))
    assert read.chain == ()
    assert read.phases.under("reads") == read.phases


def changed(workload: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return workload | fields


@pytest.mark.parametrize(
    ("changes", "path", "words"),
    [
        (
            {"phases": {"chain": [{"measure": "writes"}, {"measure": "scans"}]}},
            "phases.chain[1].measure",
            "no workload is called 'scans'; there are reads, writes",
        ),
        (
            {"phases": {"chain": [*CHAIN, {"measure": "writes"}]}},
            "phases.chain[2].measure",
            "writes is measured before",
        ),
        (
            {"phases": {"chain": [{"measure": "writes"}]}},
            "workloads[0]",
            "reads is in no phase of the chain",
        ),
        (
            {"phases": {"chain": [{"measure": "writes"}]}, "workloads": [WRITES]},
            "phases.chain",
            "one phase is no chain",
        ),
        (
            {"workloads": [changed(READS, record_count=500), WRITES]},
            "workloads[0].record_count",
            "reads has 500, and writes, whose records are loaded, 1000",
        ),
        (
            {"workloads": [changed(READS, field_length=8), WRITES]},
            "workloads[0].field_length",
            "same records",
        ),
        (
            {"workloads": [READS, changed(WRITES, operations={"insert": 0.5, "read": 0.5})]},
            "workloads[1].operations.insert",
            "inserts may be in the last phase of a chain alone",
        ),
        (
            {"workloads": [READS, changed(WRITES, operations={"delete": 1.0})]},
            "workloads[1].operations.delete",
            "phases after writes would not know",
        ),
        (
            {
                "load_levels": [
                    {
                        "model": "open",
                        "rate_per_second": 10,
                        "operation_rates": {"insert": 10},
                    }
                ]
            },
            "load_levels[0].operation_rates.insert",
            "goes for all phases",
        ),
        (
            {"exclusions": [{"target": "other", "workload": "reads"}]},
            "exclusions",
            "other measures writes at 2 clients, and not all of the chain",
        ),
        (
            {"repetitions": {"at_least": 5, "at_most": 9}},
            "repetitions",
            "have to be a number where phases are chained",
        ),
        (
            {"scenario": "soak", "phases": {"measure_seconds": 700, "chain": CHAIN}},
            "phases.chain",
            "belongs to `scenario: fixed`, and this is `soak`",
        ),
        (
            {
                "scenario": "sweep",
                "sweep": {"to": 64},
                "load_levels": [{"model": "closed", "clients": 1}],
            },
            "phases.chain",
            "belongs to `scenario: fixed`, and this is `sweep`",
        ),
        (
            {"scenario": "noise"},
            "phases.chain",
            "belongs to `scenario: fixed`, and this is `noise`",
        ),
    ],
)
def test_what_cannot_be_chained_is_refused_by_name(
    changes: dict[str, Any], path: str, words: str
) -> None:
    with pytest.raises(DocumentError) as refused:
        experiment_from_yaml(document(**changes))
    [error] = refused.value.errors
    assert error.message.startswith(f"{path}: ")
    assert words in error.message


def test_the_last_phase_may_insert_and_whole_targets_be_left_out() -> None:
    inserts = changed(READS, operations={"insert": 0.5, "read": 0.5})
    read = experiment_from_yaml(
        document(
            workloads=[inserts, WRITES],
            exclusions=[{"target": "other", "load": "4 clients"}],
        )
    )
    assert read.cells_count == 2 * 3
