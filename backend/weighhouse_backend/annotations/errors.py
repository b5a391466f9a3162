"""Errors of annotations."""

from weighhouse_backend.kit.problems import NotFound


class AnnotationNotFound(NotFound, title="There is no such annotation"):
    """There is no such annotation, it was removed, or it is not for this caller."""
