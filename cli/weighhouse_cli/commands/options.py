"""Options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

from weighhouse_cli.ci.requests import Audience

Url = Annotated[
    str | None,
    typer.Option(help="Address of the platform; default: WEIGHHOUSE_URL, else the embedded one."),
]
Token = Annotated[
    str | None,
    typer.Option(help="API token; default: WEIGHHOUSE_TOKEN, else the embedded platform's."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document, for programs.")]
Threshold = Annotated[
    float | None,
    typer.Option(
        min=0, max=100,
        help="Smallest loss of throughput in percent that counts; default: the experiment's.",
    ),
]  # fmt: skip
AnchorThreshold = Annotated[
    float | None,
    typer.Option(
        min=0, max=100,
        help="The same for what small losses add up to since the anchor (the last release, or "
        "where the level began); default: the experiment's, else --threshold.",
    ),
]  # fmt: skip
DataDirectory = Annotated[
    Path | None,
    typer.Option("--data-dir", help="Private directory of the embedded platform's data."),
]
JUnit = Annotated[
    Path | None,
    typer.Option("--junit", metavar="FILE", help="Write the gate as JUnit's XML; a case a cell."),
]
Markdown = Annotated[
    Path | None, typer.Option("--markdown", metavar="FILE", help="Write the gate as Markdown.")
]
Sarif = Annotated[
    Path | None,
    typer.Option("--sarif", metavar="FILE", help="Write the gate as SARIF, for code scanning."),
]
Result = Annotated[
    Path | None,
    typer.Option(
        "--result", metavar="FILE", help="Write which campaign it was, for `weighhouse comment`."
    ),
]
Comment = Annotated[
    bool,
    typer.Option(
        "--comment",
        help="Write the gate at the job's pull or merge request, in one comment.",
    ),
]
Audiences = Annotated[
    Audience | None,
    typer.Option(
        help="Who will read files and comment; default: whoever may read the job's repository.",
    ),
]
