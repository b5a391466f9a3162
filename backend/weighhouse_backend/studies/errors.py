"""What can go wrong with studies, as problems."""

from weighhouse_backend.kit.problems import Invalid, NotFound


class StudyNotFound(NotFound, title="Study not found"):
    """There is no such study."""


class StudyCannotRun(Invalid, title="The study cannot be run so"):
    """What is asked of a study cannot be measured here."""
