"""Statements of a plugin's manifest that stand beside numbers, and whose numbers they concern."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from weighhouse_protocol.base import Document, Few, FewBy, Name, Scalar
from weighhouse_protocol.links import Source
from weighhouse_protocol.target import Deployment, Target
from weighhouse_protocol.text import Named, Prose


class DisclaimerCondition(Document):
    """What a target has to be for a statement to concern it; all that is said has to hold.

    What cannot be known of a target counts as holding: of servers that somebody else set up,
    neither nodes nor parameters are known.
    """

    deployments: Few[Deployment] = ()
    """One of these; empty: any."""
    several_nodes: bool | None = None
    """True: it has more than one; false: it has one."""
    replicated: bool | None = None
    """True: records are on more than one node; false: on one each."""
    shared_machine: bool | None = None
    """True: several of its nodes are on one machine; false: none are."""
    keys_by_client: bool | None = None
    """True: the client spreads the keys over its nodes; false: it does not."""
    parameters: FewBy[Few[Scalar]] = Field(default_factory=dict)
    """Parameter → values, one of which it has, set by the experiment or by default."""

    def holds(
        self,
        target: Target,
        machines: int,
        defaults: Mapping[str, Scalar],
        *,
        keys_by_client: bool = False,
    ) -> bool:
        """Whether a statement concerns a target.

        :param machines: that its nodes are spread over.
        :param defaults: of the system's parameters.
        :param keys_by_client: `ManifestTopology.by_client` of the target.
        """
        if self.deployments and target.deployment not in self.deployments:
            return False
        if target.deployment == "external":
            return True
        nodes, copies = target.topology.nodes, target.topology.replication_factor
        asked = (
            (self.several_nodes, nodes > 1),
            (self.replicated, copies > 1),
            (self.shared_machine, nodes > min(machines, nodes)),
            (self.keys_by_client, keys_by_client),
        )
        return all(wanted in (None, found) for wanted, found in asked) and all(
            target.parameters.get(name, defaults.get(name)) in values
            for name, values in self.parameters.items()
        )


class ManifestDisclaimer(Document):
    """A statement that must stand beside every number of this system, or beside those that it
    concerns.
    """

    id: Name
    kind: Literal["vendor", "plugin"] = "plugin"
    severity: Literal["note", "caution", "bar"] = "note"
    title: Annotated[str, Named(120)]
    text: Annotated[str, Prose(4000, trimmed=False)]
    source: Annotated[str, Source()] | None = None
    when: DisclaimerCondition = DisclaimerCondition()
    """Whose numbers it concerns; left out: all."""
