"""What travels with exports, put together the same way for all of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version

from weighhouse_protocol import pages

from weighhouse_backend.disclosure.caveat_schemas import CaveatRead
from weighhouse_backend.disclosure.publication import Leaving
from weighhouse_backend.disclosure.schemas import Audience
from weighhouse_backend.disclosure.service import DisclosureService
from weighhouse_backend.exports.snapshots import Snapshot
from weighhouse_backend.exports.tables import About
from weighhouse_backend.kit.settings import Settings


@dataclass(frozen=True)
class Leave:
    """Puts together what an export says of itself, once the policy has let it out."""

    snapshot: Snapshot
    audience: Audience = "internal"

    def require(self, leaving: Sequence[Leaving]) -> None:
        """Let figures out, or not.

        :raises PublicationRefused: naming each system that may not be shown to the audience, its
            clause, and what would mend it.
        """
        self.snapshot.get(DisclosureService).publication.require(leaving, self.audience)

    def about(
        self,
        title: str,
        view: pages.PagePath,
        leaving: Sequence[Leaving],
        caveats: Sequence[CaveatRead],
        interim: str = "",
        notes: Sequence[str] = (),
    ) -> About:
        """What stands in each of its files.

        :param view: the page that shows it.
        :param leaving: whose figures they are.
        :raises PublicationRefused: as `require`.
        """
        publication = self.snapshot.get(DisclosureService).publication
        self.require(leaving)
        return About(
            title=title,
            as_of=self.snapshot.at,
            view=pages.at(self.snapshot.get(Settings).public_url, view),
            software=f"Weighhouse {version('weighhouse-backend')}",
            interim=interim,
            stamp=publication.stamp(leaving),
            caveats=caveats,
            notes=notes,
        )


def narrowed(**asked: object) -> list[str]:
    """By what a list is narrowed, in the words of the address; empty: by nothing."""
    told = [f"{name}={_word(value)}" for name, value in asked.items() if value is not None]
    return [f"narrowed to: {', '.join(told)}"] if told else []


def _word(value: object) -> str:
    return "|".join(map(str, value)) if isinstance(value, list) else str(value)
