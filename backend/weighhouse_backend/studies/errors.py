"""What can go wrong with studies, as problems."""

from weighhouse_backend.kit.problems import Invalid, NotFound


class StudyNotFound(NotFound):
    """There is no such study."""

    slug = "study-not-found"
    title = "Study not found"


class StudyCannotRun(Invalid):
    """What is asked of a study cannot be measured here."""

    slug = "study-cannot-run"
    title = "The study cannot be run so"
