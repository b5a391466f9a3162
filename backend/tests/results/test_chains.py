"""Where the links of a chain lie in what one attempt reported."""

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st
from weighhouse_backend.results.chains import (
    link_begins,
    measured_phases,
    memory_of_link,
    moment_of,
    phases_of_links,
)


@dataclass(frozen=True)
class Seen:
    sequence: int
    label: str
    kind: str = "phase"


def marks(*labels: str) -> list[Seen]:
    return [Seen(10 * place, label) for place, label in enumerate(labels)]


@pytest.mark.parametrize(
    ("labels", "begins"),
    [
        ((), []),
        (("deploy", "load", "warmup", "measure", "collect"), []),
        (("deploy", "load", "warmup", "measure", "warmup", "measure", "collect"), [40]),
        (("deploy", "load", "measure", "measure", "warmup", "measure", "collect"), [30, 40]),
        (("deploy", "load", "warmup", "measure", "measure", "measure"), [40, 50]),
    ],
)
def test_a_link_begins_with_its_warmup_or_its_measured_phase(
    labels: tuple[str, ...], begins: list[int]
) -> None:
    found = marks(*labels)
    assert link_begins(found) == begins
    assert link_begins(reversed(found)) == begins


@given(st.lists(st.booleans(), min_size=1, max_size=20))
def test_there_are_as_many_links_as_measured_phases(warm: list[bool]) -> None:
    labels = ["deploy", "load"]
    for warms in warm:
        labels += ["warmup", "measure"] if warms else ["measure"]
    found = [Seen(place, label) for place, label in enumerate(labels)]
    noise = Seen(len(found), "measure", "fault")
    assert len(link_begins([noise, *found])) == len(warm) - 1
    said = [{"phase": label} for label in labels if label != "deploy"]
    links = phases_of_links(said)
    assert len(links) == len(warm)
    assert [phase for link in links for phase in link] == said
    assert all(link[-1]["phase"] == "measure" for link in links)


def test_memory_after_each_link_is_its_own() -> None:
    memory, said = {}, [{"phase": "load"}]
    memory["before"], memory["after_load"] = 1, 2
    for size in (3, 4, 5):
        said += [{"phase": "warmup"}, {"phase": "measure"}]
        memory[moment_of("after", measured_phases(said))] = size
    common = {"before": 1, "after_load": 2}
    for link, size in enumerate((3, 4, 5)):
        assert memory_of_link(memory, link) == {**common, "after": size}
    assert memory_of_link(memory, 3) == common
    assert moment_of("after", 0) == "after", "of an agent that tells it before the phase is over"
