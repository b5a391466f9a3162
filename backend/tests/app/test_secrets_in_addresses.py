"""Nothing secret stands where logs, proxies and other pages read it: in paths and queries."""

import datetime
import re
from pathlib import Path
from uuid import uuid4

import pytest
from weighhouse_backend.disclosure.links import REPLY
from weighhouse_backend.identity.links import DOMAIN, INVITATION, RESET

from backend.tests.described import described

SECRET = re.compile(
    r"(^|[_-])(token|secret|key|signature|password|passwd|code|credential|auth|session|sig|jwt|otp)s?$"
)
NONE_OF_THEM: dict[str, str] = {}
"""Parameters whose name sounds like a secret and that are none → why."""
ROUTER = Path(__file__).parents[3] / "frontend/src/app/router.ts"


def test_no_parameter_of_an_address_holds_a_secret() -> None:
    found = {
        f"{method} {path} {parameter['name']}"
        for path, methods in described()["paths"].items()
        for method, operation in methods.items()
        for parameter in operation.get("parameters", ())
        if parameter["in"] in {"path", "query"} and SECRET.search(parameter["name"].lower())
    }
    assert found == NONE_OF_THEM.keys()


def test_no_page_has_one_in_its_path() -> None:
    named = re.findall(r"['`](/[^'`]*)['`]", ROUTER.read_text(encoding="utf-8"))
    parameters = {one for path in named for one in re.findall(r":([A-Za-z]+)", path)}
    assert len(named) > 10
    assert not {one for one in parameters if SECRET.search(one.lower())}


@pytest.mark.parametrize("kind", [REPLY, INVITATION, DOMAIN, RESET])
def test_a_links_secret_stands_behind_the_fragment(settings, kind) -> None:
    settings = settings.model_copy(update={"public_url": "https://weigh.example/"})
    ends = datetime.datetime(2030, 1, 1, tzinfo=datetime.UTC)
    token = kind.signed(b"a secret of sixteen", uuid4(), ends)
    page, _, fragment = kind.address(settings, token).partition("#")
    assert fragment == token
    assert page == f"https://weigh.example{kind.page}"
    assert f", '{kind.page}', '" in ROUTER.read_text(encoding="utf-8")
