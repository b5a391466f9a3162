"""Errors of annotations."""

from weighhouse_backend.kit.problems import NotFound


class AnnotationNotFound(NotFound):
    """There is no such annotation, it was removed, or it is not for this caller."""

    slug = "annotation-not-found"
    title = "There is no such annotation"
