"""Accounts of a real Garnet that may not ask everything, as the plugin's page makes them."""

from pathlib import Path

import pytest
from weighhouse_plugin_garnet import PLUGIN
from weighhouse_sdk.credentials import Credentials
from weighhouse_sdk.testkit.at_hand import server
from weighhouse_sdk.testkit.resp_rights import OPERATOR, RespRights


@pytest.fixture(autouse=True)
def garnet(request: pytest.FixtureRequest) -> Path:
    """The real server."""
    hint = "`dotnet tool install --tool-path … garnet-server` brings it"
    return server(request, "garnet-server", "WEIGHHOUSE_GARNET", hint)


class TestRights(RespRights):
    plugin = PLUGIN
    keys = ()

    def operated(self, directory: Path) -> tuple[list[str], Credentials]:
        file = directory / "accounts"
        file.write_text(
            "user default on nopass +@all\n"
            f"user {OPERATOR.username} on >{OPERATOR.password} +@all\n",
            encoding="utf-8",
        )
        return ["--auth", "ACL", "--acl-file", str(file)], OPERATOR
