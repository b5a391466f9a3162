"""The short form of `make fuzz-api`: the same few requests to every operation each time."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from api_fuzz.asking import Examiner
from api_fuzz.running import examine
from api_fuzz.world import world

EXAMPLES = 3
SEED = 40


@pytest.fixture(scope="module")
def examiner(
    database_url: str, redis_server: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Examiner]:
    directory: Path = tmp_path_factory.mktemp("fuzz")
    with world(database_url, redis_server, directory) as there:
        yield examine(there, EXAMPLES, SEED)


def test_every_answer_is_as_the_document_says(examiner):
    told = "\n".join(
        f"{one.call}: {one.what} x {one.count} as {sorted(one.identities)}\n{one.detail}\n"
        f"{one.repeat}"
        for one in examiner.account.findings.values()
    )
    assert not examiner.account.findings, told


def test_every_operation_was_asked_and_answered(examiner):
    asked = {name.rpartition(" ")[0] for name in examiner.account.examples}
    declared = {
        f"{method.upper()} {path}"
        for path, methods in examiner.world.document["paths"].items()
        for method in methods
    }
    assert asked == declared
    for identity in ("owner", "owner, signed in", "viewer", "agent"):
        assert any(status < 300 for status in examiner.account.statuses[identity]), identity
    assert all(status >= 400 for status in examiner.account.statuses["nobody"] if status != 200)
