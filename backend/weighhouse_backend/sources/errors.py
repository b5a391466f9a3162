"""Errors of published sources."""

from weighhouse_backend.kit.problems import Conflict, Invalid, NotFound, Unavailable


class PublishedSourceNotFound(NotFound, title="There is no such published source"):
    """There is no such published source, it was removed, or it is not for this caller."""


class PublishedResultsRefused(Invalid, title="These published results cannot be kept"):
    """A document of published results lacks what keeping it takes."""


class TooManyPublishedSources(
    Conflict, slug="too-many-published-sources", title="The project keeps as many as it may"
):
    """A project keeps as many published sources, or a source as many versions, as it may."""


class FilesRefused(Invalid, title="These files cannot be read as published results"):
    """No importer could make anything of the files, or it took too much to find out."""


class ImportsBusy(Unavailable, title="Other files are being read; try again"):
    """As many files are being read at once as may be."""
