"""The short form of `make fuzz-api`: the same few requests to every operation each time."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from api_fuzz.asking import Examiner
from api_fuzz.methods import examine_methods
from api_fuzz.running import ask_all, operations_of
from api_fuzz.world import world

EXAMPLES = 3
SEED = 40
PARTS = 8


@dataclass
class Examination:
    """All operations, asked in parts, in their order."""

    examiner: Examiner
    operations: list[Any]
    done: set[int] = field(default_factory=set)

    def ask(self, part: int) -> None:
        """Ask a part of them, once, after those before it."""
        for number in range(part + 1):
            if number not in self.done:
                begin, end = (len(self.operations) * each // PARTS for each in (number, number + 1))
                ask_all(self.examiner, self.operations[begin:end])
                self.done.add(number)

    def told(self) -> str:
        """What was wrong since it was asked for last."""
        findings = self.examiner.account.findings
        told = "\n".join(
            f"{one.call}: {one.what} x {one.count} as {sorted(one.identities)}\n{one.detail}\n"
            f"{one.repeat}"
            for one in findings.values()
        )
        findings.clear()
        return told


@pytest.fixture(scope="module")
def examination(
    database_url: str, redis_server: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Examination]:
    directory: Path = tmp_path_factory.mktemp("fuzz")
    with world(database_url, redis_server, directory) as there:
        yield Examination(Examiner(there, EXAMPLES, SEED), operations_of(there))


def test_methods_that_are_not_declared_are_refused(examination):
    examiner = examination.examiner
    examine_methods(examiner.world, examiner.account, examiner.session)
    assert not (told := examination.told()), told


@pytest.mark.parametrize("part", range(PARTS))
def test_every_answer_is_as_the_document_says(examination, part):
    examination.ask(part)
    assert not (told := examination.told()), told


def test_every_operation_was_asked_and_answered(examination):
    examination.ask(PARTS - 1)
    account, there = examination.examiner.account, examination.examiner.world
    asked = {name.rpartition(" ")[0] for name in account.examples}
    declared = {
        f"{method.upper()} {path}"
        for path, methods in there.document["paths"].items()
        for method in methods
    }
    assert asked == declared
    for identity in ("owner", "owner, signed in", "viewer", "agent"):
        assert any(status < 300 for status in account.statuses[identity]), identity
    assert all(status >= 400 for status in account.statuses["nobody"] if status != 200)
