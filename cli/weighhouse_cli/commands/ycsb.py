"""`weighhouse ycsb`: YCSB's property files in, an experiment out."""

from pathlib import Path
from typing import Annotated

import typer
from weighhouse_protocol.yaml_document import DocumentError, experiment_to_yaml
from weighhouse_protocol.ycsb import Translated, YcsbError, experiment_of, translate

from weighhouse_cli.console import ERROR
from weighhouse_cli.exits import CommandFailed, Exit

IN_PROCESS = {"rocksdb": "in_process"}
"""Systems that live inside the driver."""


def ycsb(
    files: Annotated[list[Path], typer.Argument(help="Property files, a workload each.")],
    systems: Annotated[
        list[str], typer.Option("--system", help="A system to weigh; may be repeated.")
    ],
    properties: Annotated[
        list[str] | None,
        typer.Option("-p", help="name=value, as with YCSB; wins over all files; may be repeated."),
    ] = None,
    common: Annotated[
        list[Path] | None,
        typer.Option("-P", help="A property file that is read before each workload's."),
    ] = None,
    threads: Annotated[int | None, typer.Option(help="Clients; as -p threadcount.")] = None,
    target: Annotated[
        float | None, typer.Option(help="Operations a second, open loop; as -p target.")
    ] = None,
    repetitions: Annotated[int, typer.Option(help="Runs of each workload on each system.")] = 5,
    slug: Annotated[str, typer.Option(help="Short name of the experiment.")] = "ycsb",
    output: Annotated[
        Path | None, typer.Option(help="Write the experiment there; default: standard output.")
    ] = None,
) -> None:
    """Turn YCSB's workload files into an experiment, to be run by `weighhouse run`.

    What a property means here, and what of it has no effect, is told on standard error.
    """
    overrides = _overrides(properties or [])
    if threads is not None:
        overrides["threadcount"] = str(threads)
    if target is not None:
        overrides["target"] = f"{target:g}"
    shared = [(path.name, _text(path)) for path in common or []]
    translated = [_translated(path, shared, overrides) for path in files]
    try:
        experiment = experiment_of(
            translated, systems, slug=slug, repetitions=repetitions, deployments=IN_PROCESS
        )
    except (YcsbError, DocumentError) as error:
        raise CommandFailed(Exit.INVALID, str(error)) from error
    text = experiment_to_yaml(experiment)
    if output is None:
        typer.echo(text, nl=False)
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise CommandFailed(Exit.INVALID, f"{output} cannot be written: {error}") from error
    ERROR.print(f"written: {output}; now `weighhouse run {output} --wait`", soft_wrap=True)


def _translated(path: Path, shared: list[tuple[str, str]], overrides: dict[str, str]) -> Translated:
    text = _text(path)
    # A histogram of lengths lies beside the file that names it.
    beside = {one.name: _text(one) for one in path.parent.glob("*.txt")}
    try:
        translated = translate([*shared, (path.name, text)], overrides, beside)
    except YcsbError as error:
        lines = "\n".join(f"  {name}: {message}" for name, message in error.problems)
        raise CommandFailed(Exit.INVALID, f"{path} cannot be carried out:\n{lines}") from error
    for note in translated.notes:
        style = "yellow" if note.severity == "caution" else "dim"
        ERROR.print(f"{path.name}: {note.property} {note.message}", style=style, soft_wrap=True)
    return translated


def _overrides(pairs: list[str]) -> dict[str, str]:
    found = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise CommandFailed(Exit.INVALID, f"-p {pair}: not name=value")
        found[name] = value
    return found


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CommandFailed(Exit.INVALID, f"{path} cannot be read: {error}") from error
