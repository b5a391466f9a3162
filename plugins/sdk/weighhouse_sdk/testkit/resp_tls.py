"""What Redis and its relatives must hold that the plugin has serve TLS, tried against the real
servers. Subclass `RespTls`, and name the plugin.
"""

# ruff: noqa: D102, PLR2004, S101 - a test's name says what it holds, and pytest explains assertions

import os
import stat
from pathlib import Path

import pytest
from weighhouse_protocol.base import Scalar
from weighhouse_protocol.driver import Failed, PhaseFinished
from weighhouse_protocol.faults import FaultVerb
from weighhouse_protocol.target import Target

from weighhouse_sdk.context import Context
from weighhouse_sdk.driver import DriverRun
from weighhouse_sdk.errors import NotReady, TargetInvalid
from weighhouse_sdk.families.resp import ask, info
from weighhouse_sdk.lifecycle import Deployed
from weighhouse_sdk.machine.certificates import BOTH, KEY, certify
from weighhouse_sdk.replies import CertificateRefused, OtherProtocol
from weighhouse_sdk.testkit.at_hand import not_run
from weighhouse_sdk.testkit.orders import order_for
from weighhouse_sdk.testkit.resp_testing import ASK_SECONDS, RespNodes
from weighhouse_sdk.testkit.translation import check_translation
from weighhouse_sdk.wire import Address

RECORDS = 500
SECRET = b"PRIVATE KEY"
WITHOUT = "Failed finding TLS support"
"""What such a server says."""


class RespTls(RespNodes):
    """Servers whose certificate the plugin made."""

    @pytest.fixture(autouse=True)
    def able(self, request: pytest.FixtureRequest, tmp_path: Path) -> None:
        """A server that was built without TLS is not tried, and said to be so."""
        context = Context.open(self.secured(1, 1), tmp_path / "able")
        deployed = self.plugin.deploy(context)
        try:
            self.plugin.wait_ready(context, deployed)
        except NotReady as error:
            if not any(WITHOUT in line for line in error.log_lines):
                raise
            not_run(request, f"this {self.plugin.manifest.name} was built without TLS")
        finally:
            self.plugin.stop(context, deployed)
            self.plugin.clean_up(context)

    def secured(self, nodes: int, copies: int, **options: Scalar) -> Target:
        """So many nodes that speak TLS alone."""
        target = self.target(nodes, copies)
        parameters = {**target.parameters, "tls": True}
        return target.model_copy(update={"parameters": parameters, "driver_options": options})

    def begun(self, target: Target, directory: Path) -> tuple[Context, Deployed]:
        """Deploy, and wait until it serves."""
        context = Context.open(target, directory)
        deployed = self.plugin.deploy(context)
        self.plugin.wait_ready(context, deployed)
        return context, deployed

    def driven(self, context: Context, deployed: Deployed, **other: Scalar) -> list[object]:
        """Load and measure for a moment, as an agent would; all events of the driver."""
        options = {
            **self.plugin.driver_options(context.target),
            **self.plugin.driver_files(context),
            **other,
        }
        ends = self.plugin.endpoints(deployed)
        order = order_for(ends, options, measure_seconds=0.5, records=RECORDS)
        with DriverRun(self.plugin.manifest.driver.id, order, context) as run:
            return list(run.events())

    def assert_driven(self, context: Context, deployed: Deployed) -> None:
        """All of it goes well."""
        events = self.driven(context, deployed)
        ends = [event for event in events if isinstance(event, PhaseFinished)]
        assert [end.phase for end in ends] == ["load", "measure"], events
        for end in ends:
            assert not any(each.errors or each.not_found for each in end.operations.values())

    def secrets(self, directory: Path) -> list[Path]:
        """Files below a directory that hold a private key."""
        files = (path for path in directory.rglob("*") if path.is_file())
        return sorted(path for path in files if SECRET in path.read_bytes())

    def test_it_speaks_tls_alone_under_a_certificate_of_its_own(self, directory: Path) -> None:
        context, deployed = self.begun(self.secured(1, 1), directory)
        address = deployed.nodes[0].place.address
        assert deployed.endpoints == (f"tls://{address.host}:{address.port}",)
        assert ask(address, ASK_SECONDS, "PING") == "PONG"
        with pytest.raises(OtherProtocol, match="speaks TLS on this port, and was asked without"):
            ask(Address(*address[:2]), ASK_SECONDS, "PING")
        with pytest.raises(CertificateRefused, match="of an authority that is not known here"):
            ask(Address(*address[:2], tls=True), ASK_SECONDS, "PING")
        self.assert_driven(context, deployed)
        settings = self.plugin.describe(context, deployed).settings
        found = {each.name: each for each in settings}
        assert (found["tls"].value, found["tls"].source) == ("yes", "experiment")
        assert (found["port"].value, found["port"].source) == ("0", "place")
        ends = self.plugin.endpoints(deployed)
        told = check_translation(self.plugin.manifest, context.target, settings, ends)
        assert told.encryption == "tls"
        assert self.plugin.memory(context, deployed).records == RECORDS
        assert self.plugin.sample(context, deployed).metrics["keys"] == RECORDS
        self.plugin.stop(context, deployed)

    def test_keys_are_closed_and_go_with_the_attempt(self, directory: Path) -> None:
        context, deployed = self.begun(self.secured(2, 2), directory)
        server = deployed.nodes[0].place.directory
        own, made = server / "tls" / KEY, context.scratch_directory / "tls" / KEY
        assert self.secrets(directory) == sorted(
            [
                made,
                *(node.place.directory / "tls" / KEY for node in deployed.nodes),
                *(node.place.directory / "tls" / BOTH for node in deployed.nodes),
            ]
        ), "the authority's is nowhere"
        for path in (own, made):
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
            assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        status = Path(f"/proc/{deployed.processes[0].pid}/status").read_text(encoding="ascii")
        uid = next(line for line in status.splitlines() if line.startswith("Uid:")).split()[1]
        assert (own.stat().st_uid, made.stat().st_uid) == (int(uid), os.geteuid())
        self.plugin.stop(context, deployed)
        self.plugin.clean_up(context)
        assert self.secrets(directory) == []

    def test_the_driver_takes_no_other_authoritys_word(
        self, directory: Path, tmp_path: Path
    ) -> None:
        context, deployed = self.begun(self.secured(1, 1), directory)
        other = certify(tmp_path / "other", ["127.0.0.1"])
        *_, last = self.driven(context, deployed, tls_ca_file=str(other))
        assert isinstance(last, Failed)
        assert "certificate" in last.message
        self.plugin.stop(context, deployed)

    def test_replicas_and_empty_ones_in_their_place_follow_over_tls(self, directory: Path) -> None:
        context, deployed = self.begun(self.secured(2, 2), directory)
        self.assert_driven(context, deployed)
        verbs: tuple[FaultVerb, ...] = ("restart", "replace")
        for verb in verbs:
            self.do(context, deployed, verb, 2)
            replica = deployed.nodes[1].place.address
            assert info(replica, ASK_SECONDS)["master_link_status"] == "up"
            assert ask(replica, ASK_SECONDS, "DBSIZE") == RECORDS
        self.plugin.stop(context, deployed)

    def test_a_cluster_speaks_tls_throughout(self, directory: Path) -> None:
        context, deployed = self.begun(self.secured(3, 1), directory)
        assert len(self.plugin.endpoints(deployed)) == 3
        self.assert_driven(context, deployed)
        assert self.plugin.memory(context, deployed).records == RECORDS
        self.plugin.stop(context, deployed)

    def test_so_do_processes_that_know_nothing_of_each_other(self, directory: Path) -> None:
        context, deployed = self.begun(self.secured(2, 1, hashing="ketama"), directory)
        self.assert_driven(context, deployed)
        assert self.plugin.memory(context, deployed).records == RECORDS
        self.plugin.stop(context, deployed)

    def test_where_it_cannot_be_had_it_is_refused_by_name(self, tmp_path: Path) -> None:
        target = self.secured(1, 1)
        self.plugin.check_target(target)
        with pytest.raises(TargetInvalid) as caught:
            self.plugin.check_target(target.model_copy(update={"deployment": "docker"}))
        assert [path for path, _ in caught.value.problems] == ["parameters.tls"]
        spread = Context.open(self.secured(3, 1), tmp_path / "spread", own_nodes=(1,))
        with pytest.raises(TargetInvalid, match="is for one machine") as caught:
            self.plugin.driver_files(spread)
        assert [path for path, _ in caught.value.problems] == ["parameters.tls"]
        plain = Context.open(self.target(1, 1), tmp_path / "plain")
        assert self.plugin.driver_files(plain) == {}
