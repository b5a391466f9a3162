"""What can go wrong with results, as problems."""

from fastapi import FastAPI, Request
from starlette.responses import JSONResponse
from weighhouse_judging.arithmetic.histograms import HistogramError

from weighhouse_backend.kit.problems import Problem, Unavailable, answer_to


class ResultNotThere(Problem):
    """The run has no such result: nothing was measured, or it is not settled yet."""

    status = 404
    slug = "result-not-there"
    title = "No such result"


class LogGap(Problem):
    """A piece of a log does not begin where the last one ended."""

    status = 416
    slug = "log-offset"
    title = "The piece does not follow what is stored"


class LogTooLong(Problem):
    """A log, or a piece of one, is larger than is kept."""

    status = 413
    slug = "log-too-long"
    title = "The log is too long"


class ArtifactDiffers(Problem):
    """The content does not have the hash in its address."""

    status = 422
    slug = "artifact-differs"
    title = "The content does not match its hash"


class EventsInvalid(Problem):
    """An event holds what cannot be read."""

    status = 422
    slug = "events-invalid"
    title = "An event cannot be read"


class EventsTooMany(Problem):
    """A machine reports more of an attempt than is kept."""

    status = 413
    slug = "events-too-many"
    title = "No more events of this attempt are taken"


class FilesAway(Unavailable):
    """The store that holds contents of files does not answer as one."""

    slug = "files-away"
    title = "The store of files is away"


class ResultsUnreadable(Problem):
    """What an agent told of a run cannot be read, or does not fit together."""

    status = 409
    slug = "results-unreadable"
    title = "What was told of the run cannot be read"


def install_unreadable(app: FastAPI) -> None:
    """Whichever operation comes upon histograms that cannot be read or merged: they are an agent's,
    and no fault of the platform.
    """

    async def on_unreadable(request: Request, error: Exception) -> JSONResponse:
        return answer_to(ResultsUnreadable(str(error)), request)

    app.add_exception_handler(HistogramError, on_unreadable)
