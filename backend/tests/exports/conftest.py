"""A platform whose exports are read, with a campaign of every kind of text."""

import pytest
from weighhouse_backend.app.overview_files import router as overview_files
from weighhouse_backend.app.overviews import router as overviews
from weighhouse_backend.exports.endpoints import router as exports
from weighhouse_backend.exports.inventory_endpoints import router as inventory_exports
from weighhouse_backend.exports.list_endpoints import router as list_exports

from backend.tests.disclosure.policed import as_a_study
from backend.tests.results.laboratory import ROUTERS, Laboratory, experiment, steady

FORMULA = "=HYPERLINK(1)"


@pytest.fixture(scope="module")
def settings(settings, tmp_path_factory):
    """With a published study."""
    folder = as_a_study(tmp_path_factory.mktemp("experiments"))
    return settings.model_copy(update={"experiments_dir": folder})


@pytest.fixture(scope="module")
def laboratory(make_client, session_factory, settings, tenants):
    client = make_client(
        *ROUTERS, exports, list_exports, inventory_exports, overview_files, overviews
    )
    made = Laboratory(client, session_factory, settings, tenants[0].headers)
    made.enrol()
    return made


@pytest.fixture(scope="module")
def campaign(laboratory):
    """A settled campaign, whose experiment's name is a formula."""
    document = experiment("weighed", repetitions=4) | {"name": FORMULA}
    return laboratory.carry_out(document, steady)


@pytest.fixture(scope="module")
def run(laboratory, campaign):
    runs = laboratory.get("/runs", campaign_id=campaign)["items"]
    return next(one["id"] for one in runs if one["cell"]["target"] == "redis")


@pytest.fixture(scope="module")
def taken(laboratory, tmp_path_factory):
    """Takes an export along: the file it was kept in."""
    folder = tmp_path_factory.mktemp("taken")

    def take(path, form="csv", **asked):
        answer = laboratory.client.get(
            f"/api/v1/exports/{path}",
            params={"format": form, **asked},
            headers=laboratory.headers,
        )
        assert answer.status_code == 200, answer.text
        name = answer.headers["Content-Disposition"].partition('filename="')[2].rstrip('"')
        kept = folder / f"{len(list(folder.iterdir()))}-{name}"
        kept.write_bytes(answer.content)
        return kept

    return take
