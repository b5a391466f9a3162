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
