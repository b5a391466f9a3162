"""A gate as commands of GitHub's log, shown beside the experiment's file in a pull request."""

from collections.abc import Iterator, Sequence

from weighhouse_cli.ci.told import State, Told

MOST = 10
"""As many as GitHub shows of one step and kind."""
KINDS: dict[State, str] = {"failed": "error", "error": "error", "undecided": "warning"}


def annotations(told: Told, file: str) -> Iterator[str]:
    """Lines to print: one for each cell that did not pass, and one for a verdict without cells.

    :param file: the experiment's, relative to the repository's top.
    """
    if told.state == "passed":
        return
    cells = [cell for cell in told.cells if cell.state != "passed"]
    if not cells:
        yield _line(KINDS[told.state], file, told.verdict, told.message)
    for cell in cells[:MOST]:
        words = ", ".join(filter(None, (cell.outcome, cell.change, cell.why)))
        title = f"{cell.target}, {cell.cell}: {cell.metric} {cell.outcome}"
        yield _line(KINDS[cell.state], file, title, [words, told.page])


def _line(kind: str, file: str, title: str, message: Sequence[str]) -> str:
    said = "\n".join(message)
    return f"::{kind} file={_property(file)},line=1,title={_property(title)}::{_data(said)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
