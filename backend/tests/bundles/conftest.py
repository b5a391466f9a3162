"""A platform that makes bundles, with a settled campaign."""

import pytest
from pydantic import SecretStr
from weighhouse_backend.bundles.endpoints import router as bundles

from backend.tests.results.laboratory import ROUTERS, Laboratory, experiment, steady

SECRET = "a secret of at least sixteen characters"


@pytest.fixture(scope="module")
def laboratory(make_client, session_factory, settings, tenants):
    client = make_client(*ROUTERS, bundles)
    client.app.state.settings = settings.model_copy(update={"secret_key": SecretStr(SECRET)})
    made = Laboratory(client, session_factory, client.app.state.settings, tenants[0].headers)
    made.enrol()
    return made


@pytest.fixture(scope="module")
def campaign(laboratory):
    return laboratory.carry_out(experiment("bundled", repetitions=5), steady)


@pytest.fixture(scope="module")
def bundle(laboratory, campaign, tmp_path_factory):
    """The campaign's bundle as a file."""
    answer = laboratory.client.get(
        f"/api/v1/campaigns/{campaign}/bundle", headers=laboratory.headers
    )
    assert answer.status_code == 200, answer.text
    kept = tmp_path_factory.mktemp("bundles") / "kept.bundle.tar"
    kept.write_bytes(answer.content)
    return kept


@pytest.fixture
def changed(bundle, tmp_path):
    """Copies of the bundle with some bytes of theirs changed, by place."""

    def change(place, replace=None):
        content = bytearray(bundle.read_bytes())
        content[place] = content[place] ^ 1 if replace is None else replace
        kept = tmp_path / "changed.bundle.tar"
        kept.write_bytes(content)
        return kept

    return change
