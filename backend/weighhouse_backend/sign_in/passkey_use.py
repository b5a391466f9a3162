"""A passkey is shown: whose it is, once, if its answer holds."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from weighhouse_backend.identity.errors import PasskeyRefused
from weighhouse_backend.identity.factor_models import Passkey
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.late import late
from weighhouse_backend.kit.settings import Settings

if TYPE_CHECKING:
    from weighhouse_backend.sign_in import webauthn
else:
    webauthn = late("weighhouse_backend.sign_in.webauthn")


def take(
    session: Session, clock: Clock, settings: Settings, answer: Mapping[str, Any],
    of: UUID | None = None,
) -> Passkey:  # fmt: skip
    """The passkey that a browser showed; the question that it answered is used up for it.

    :param of: the person whose it has to be; None: anybody's.
    :raises PasskeyRefused: when it is not known, not theirs, or its answer does not hold.
    """
    # Locked: of two answers to one question one is taken.
    row = session.scalar(
        select(Passkey).where(Passkey.credential_id == webauthn.id_in(answer)).with_for_update()
    )
    if row is None:
        raise PasskeyRefused("it was removed here, or is another installation's")
    if of not in (None, row.user_id):
        raise PasskeyRefused("it is somebody else's; choose your own")
    now = clock.now()
    shown = webauthn.shown_by(settings, now, row.user_id, row.credential, answer)
    if row.last_question is not None and shown.question <= row.last_question:
        raise PasskeyRefused("its answer was taken already, or a later one was; try again")
    if (shown.uses or row.uses) and shown.uses <= row.uses:
        raise PasskeyRefused(
            "it was used fewer times than it has been seen here, so there is a copy of it: remove "
            "it, and make a new one"
        )
    row.last_question, row.uses, row.last_used_at = shown.question, shown.uses, now
    return row
