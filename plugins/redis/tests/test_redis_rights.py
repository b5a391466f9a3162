"""Accounts of a real redis-server that may not ask everything, as the plugin's page makes them."""

from pathlib import Path

from weighhouse_plugin_redis import PLUGIN
from weighhouse_protocol.driver import Failed
from weighhouse_protocol.target import Target, Topology
from weighhouse_sdk.context import Context
from weighhouse_sdk.driver import DriverRun
from weighhouse_sdk.families.resp import ask
from weighhouse_sdk.testkit.resp_rights import RespRenames
from weighhouse_sdk.testkit.rights_testing import PASSWORD, Visitor
from weighhouse_sdk.testkit.testing import order_for


class TestRights(RespRenames):
    plugin = PLUGIN


def test_an_account_that_may_not_ask_where_keys_are_is_told_its_right(tmp_path: Path) -> None:
    target = Target(name="own", system="redis", topology=Topology(nodes=3))
    own = Context.open(target, tmp_path / "own")
    deployed = PLUGIN.deploy(own)
    try:
        PLUGIN.wait_ready(own, deployed)
        for place in deployed.places:
            words = ("few", "on", f">{PASSWORD}", "~*", "+@all", "-cluster")
            assert ask(place.address, 5.0, "ACL", "SETUSER", *words) == "OK"
        few = Visitor(PLUGIN, deployed.places[0].address, tmp_path).account("few")
        options = {"cluster": True, "username": "few", "password_file": str(few.password_file)}
        order = order_for(PLUGIN.endpoints(deployed), options, 0.3)
        with DriverRun("resp", order, own) as run:
            *_, failed = run.events()
    finally:
        PLUGIN.stop(own, deployed)
        PLUGIN.clean_up(own)
    assert isinstance(failed, Failed)
    assert "NOPERM" in failed.message
    assert "CLUSTER SLOTS" in failed.hint
