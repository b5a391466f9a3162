"""How a feature says that something happened: in the transaction in which it did."""

from uuid import UUID

from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session
from weighhouse_protocol.pages import PagePath
from weighhouse_protocol.text import in_one_line

from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.ids import new_id
from weighhouse_backend.notices.kinds import NoticeKind
from weighhouse_backend.notices.models import Notice

LONGEST_TITLE, LONGEST_WORDS = 300, 4000


def notify(
    session: Session,
    clock: Clock,
    *,
    project_id: UUID,
    kind: NoticeKind,
    cause: str,
    title: str,
    words: str = "",
    path: PagePath,
) -> bool:
    """Have people and channels of a project told; the worker does it after the commit.

    :param cause: what it is of; of one cause a project is told once, whoever says it how often.
    :param title: a sentence without a full stop, in one line.
    :param words: what else there is to say; never a secret.
    :param path: the page that shows it, from `/` on.
    :returns: whether it is new.
    """
    line = in_one_line(title)[:LONGEST_TITLE]
    made = session.execute(
        insert(Notice)
        .values(
            id=new_id(), project_id=project_id, kind=str(kind), cause=cause, title=line,
            words=words[:LONGEST_WORDS], path=path, at=clock.now(),
        )
        .on_conflict_do_nothing(index_elements=["project_id", "cause"])
        .returning(Notice.id)
    )  # fmt: skip
    return made.first() is not None
