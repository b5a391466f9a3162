"""What can go wrong with results, as problems."""

from weighhouse_backend.kit.problems import Problem, Unavailable


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


class FilesAway(Unavailable):
    """The store that holds contents of files does not answer as one."""

    slug = "files-away"
    title = "The store of files is away"
