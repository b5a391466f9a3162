"""Why a report is not written, or not printed."""

from weighhouse_backend.kit.problems import Conflict, Invalid, NotFound, Problem


class ReportNotFound(NotFound, title="There is no such report"):
    """There is no such report or edition, or it is not for this caller."""


class ReportInvalid(Invalid, title="The report cannot be kept so"):
    """A source's name stands twice, or what it is of does not go together."""


class ReportHasEditions(Conflict, title="The report has editions, which stay"):
    """Somebody may have the address of an edition."""


class PdfNotHere(Problem, status=503, title="No PDF can be made here"):
    """No Chromium was found, or it did not make one; printing from the browser stays."""


class PdfBusy(Problem, status=503, title="Other PDFs are being made"):
    """As many as may be are under way."""
