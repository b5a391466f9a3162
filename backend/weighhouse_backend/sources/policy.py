"""Whether published results may leave the organization that keeps them. Pure.

They are somebody else's words: what of them may be shown to others is what their licence or their
publisher allows, and somebody has to have looked that up.
"""

from collections.abc import Iterable

from weighhouse_protocol.published.source import PublishedSource

from weighhouse_backend.disclosure.errors import PublicationRefused
from weighhouse_backend.disclosure.schemas import Audience
from weighhouse_backend.kit.problems import FieldProblem

MEND = (
    "say on the source's page under which licence it stands, or what of it may be quoted and by "
    "what right"
)


def may_leave(source: PublishedSource) -> bool:
    """Whether it is told what of a source may be shown to others."""
    return bool(source.licence.strip() or source.quoted.strip())


def require(sources: Iterable[PublishedSource], audience: Audience) -> None:
    """Let published figures out, or not.

    :raises PublicationRefused: naming each source of which it is not told what may be shown.
    """
    if audience == "internal":
        return
    refused = [one for one in sources if not may_leave(one)]
    if refused:
        untold = ", ".join(repr(one.title) for one in refused)
        raise PublicationRefused(
            f"what of {untold} may be quoted is not told: {MEND}",
            errors=[
                FieldProblem(
                    path=one.title, message="neither licence nor what may be quoted", expected=MEND
                )
                for one in refused
            ],
        )
