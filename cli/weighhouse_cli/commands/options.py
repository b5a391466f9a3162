"""Options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

Url = Annotated[
    str | None,
    typer.Option(help="Address of the platform; default: WEIGHHOUSE_URL, else the embedded one."),
]
Token = Annotated[
    str | None,
    typer.Option(help="API token; default: WEIGHHOUSE_TOKEN, else the embedded platform's."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document, for programs.")]
DataDirectory = Annotated[
    Path | None,
    typer.Option("--data-dir", help="Private directory of the embedded platform's data."),
]
