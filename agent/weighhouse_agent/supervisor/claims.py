"""Asks the platform for work, so that no answer is ever lost.

The claim's identifier is on disk before it is sent. After a crash, or a lost answer, the same
claim is sent again and gets the same order; only an answer that is on disk ends it.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

import uuid_utils.compat as uuids
from weighhouse_protocol.order import AttemptOrder, Claimed, ClaimRequest

from weighhouse_agent.delivery.platform_client import READ_SECONDS, PlatformClient
from weighhouse_agent.machine.home import Home, make_passable, read_text, write_atomically
from weighhouse_agent.machine.slots import WHOLE_MACHINE

LONGEST_WAIT_SECONDS = 60.0


@dataclass(frozen=True)
class Claims:
    """The claims of one slot of this agent, one at a time.

    :param client: with the agent's token.
    """

    home: Home
    client: PlatformClient
    slot: str = WHOLE_MACHINE
    on_update: Callable[[UUID], None] | None = None
    """Told of the update that waits for this agent."""

    def claim(self, process_id: UUID, wait_seconds: float) -> AttemptOrder | None:
        """Ask once, and keep the order on disk.

        :param wait_seconds: how long the server may hold the call open.
        :returns: None when nothing came up.
        :raises PlatformAway, Refused: the claim stays, to be repeated.
        """
        request = ClaimRequest(
            claim_id=self._current(),
            process_id=process_id,
            slot=self.slot,
            wait_seconds=min(LONGEST_WAIT_SECONDS, wait_seconds),
        )
        claimed = self.client.ask(
            "POST", "/agent/v1/claims", request, Claimed, read_seconds=wait_seconds + READ_SECONDS
        )
        order = claimed.order
        if order is not None:
            directory = self.home.attempt(order.attempt_id)
            make_passable(directory.path)
            if not directory.order.exists():
                write_atomically(directory.order, order.model_dump_json())
        self.home.claim(self.slot).unlink(missing_ok=True)
        if order is None and claimed.update is not None and self.on_update is not None:
            self.on_update(claimed.update)
        return order

    def _current(self) -> UUID:
        text = read_text(self.home.claim(self.slot))
        if text is not None:
            return UUID(json.loads(text)["claim_id"])
        made = uuids.uuid7()
        write_atomically(self.home.claim(self.slot), json.dumps({"claim_id": str(made)}))
        return made
