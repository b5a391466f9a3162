"""What can go wrong with results, as problems."""

from fastapi import FastAPI, Request
from starlette.responses import JSONResponse
from weighhouse_judging.arithmetic.histograms import HistogramError

from weighhouse_backend.kit.problems import Problem, Unavailable, answer_to


class ResultNotThere(Problem, status=404, title="No such result"):
    """The run has no such result: nothing was measured, or it is not settled yet."""


class LogGap(
    Problem, status=416, slug="log-offset", title="The piece does not follow what is stored"
):
    """A piece of a log does not begin where the last one ended."""


class LogTooLong(Problem, status=413, title="The log is too long"):
    """A log, or a piece of one, is larger than is kept."""


class ArtifactDiffers(Problem, status=422, title="The content does not match its hash"):
    """The content does not have the hash in its address."""


class EventsInvalid(Problem, status=422, title="An event cannot be read"):
    """An event holds what cannot be read."""


class EventsTooMany(Problem, status=413, title="No more events of this attempt are taken"):
    """A machine reports more of an attempt than is kept."""


class FilesAway(Unavailable, title="The store of files is away"):
    """The store that holds contents of files does not answer as one."""


class ResultsUnreadable(Problem, status=409, title="What was told of the run cannot be read"):
    """What an agent told of a run cannot be read, or does not fit together."""


def install_unreadable(app: FastAPI) -> None:
    """Whichever operation comes upon histograms that cannot be read or merged: they are an agent's,
    and no fault of the platform.
    """

    async def on_unreadable(request: Request, error: Exception) -> JSONResponse:
        return answer_to(ResultsUnreadable(str(error)), request)

    app.add_exception_handler(HistogramError, on_unreadable)
