"""`weighhouse ycsb`: YCSB's property files in, an experiment out."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from weighhouse_protocol.document_errors import did_you_mean, one_of
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.yaml_document import DocumentError, experiment_to_yaml
from weighhouse_protocol.ycsb import (
    Note,
    Problem,
    Translated,
    YcsbError,
    experiment_of,
    text_of,
    translate,
)
from weighhouse_sdk.registry import discover

from weighhouse_cli.console import ERROR
from weighhouse_cli.exits import CommandFailed, Exit


@dataclass(frozen=True)
class _Wanted:
    """What holds for all files."""

    shared: Sequence[tuple[str, str]]
    overrides: dict[str, str]
    systems: Sequence[Manifest]
    credentials: str | None
    leave_out: Sequence[str]


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
    credentials: Annotated[
        str | None,
        typer.Option(
            help="Name of what agents have in their policy in place of a user and a password that "
            "the files have."
        ),
    ] = None,
    leave_out: Annotated[
        list[str] | None,
        typer.Option(
            help="A property that is not to count, or several, as redis.*; may be repeated."
        ),
    ] = None,
    repetitions: Annotated[int, typer.Option(help="Runs of each workload on each system.")] = 5,
    slug: Annotated[str, typer.Option(help="Short name of the experiment.")] = "ycsb",
    output: Annotated[
        Path | None, typer.Option(help="Write the experiment there; default: standard output.")
    ] = None,
) -> None:
    """Turn YCSB's workload files into an experiment, to be run by `weighhouse run`.

    What a property means here, and what of it has no effect, is told on standard error; what cannot
    be carried out is refused by name.
    """
    overrides = _overrides(properties or [])
    if threads is not None:
        overrides["threadcount"] = str(threads)
    if target is not None:
        overrides["target"] = f"{target:g}"
    wanted = _Wanted(
        shared=_texts(common or []),
        overrides=overrides,
        systems=_manifests(systems),
        credentials=credentials,
        leave_out=leave_out or [],
    )
    translated = _all_translated(files, wanted)
    try:
        experiment = experiment_of(translated, slug=slug, repetitions=repetitions)
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


def _all_translated(files: Sequence[Path], wanted: _Wanted) -> list[Translated]:
    """All of them; notes are told whether or not there are problems, and each once.

    :raises CommandFailed: with the problems of all files.
    """
    found: list[Translated] = []
    notes: dict[Note, None] = {}
    problems: dict[Problem, None] = {}
    for path in files:
        try:
            one = _translated(path, wanted)
        except YcsbError as error:
            problems |= dict.fromkeys(error.problems)
            notes |= dict.fromkeys(error.notes)
            continue
        notes |= dict.fromkeys(one.notes)
        found.append(one)
    _tell(notes)
    if problems:
        lines = "\n".join(f"  {problem}" for problem in problems)
        raise CommandFailed(Exit.INVALID, f"this cannot be carried out:\n{lines}")
    return found


def _translated(path: Path, wanted: _Wanted) -> Translated:
    def beside(name: str) -> str | None:
        """As YCSB opens it, or beside the file that names it."""
        places = (Path(name), path.parent / name, path.parent / Path(name).name)
        there = next((place for place in places if place.is_file()), None)
        return None if there is None else text_of(_content(there), str(there))

    return translate(
        [*wanted.shared, *_texts([path])],
        wanted.overrides,
        beside,
        systems=wanted.systems,
        credentials=wanted.credentials,
        leave_out=wanted.leave_out,
    )


def _tell(notes: Iterable[Note]) -> None:
    for note in notes:
        style = "yellow" if note.severity == "caution" else "dim"
        where = note.file + (f":{note.line}" if note.line else "") + (":" if note.file else "")
        told = " ".join(part for part in (where, note.property, note.message) if part)
        ERROR.print(told, style=style, soft_wrap=True, markup=False)


def _manifests(systems: Sequence[str]) -> list[Manifest]:
    known = {
        name: plugin.manifest
        for name, plugin in discover()[0].items()
        if plugin.manifest.kind == "system"
    }
    for name in systems:
        if name not in known:
            message = f"no plugin weighs {name!r}{did_you_mean(name, list(known))}"
            raise CommandFailed(Exit.INVALID, f"{message}; there are: {one_of(sorted(known))}")
    return [known[name] for name in systems]


def _overrides(pairs: list[str]) -> dict[str, str]:
    found = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise CommandFailed(Exit.INVALID, f"-p {pair}: not name=value")
        found[name] = value
    return found


def _texts(paths: Sequence[Path]) -> list[tuple[str, str]]:
    return [(path.name, text_of(_content(path), path.name)) for path in paths]


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise CommandFailed(Exit.INVALID, f"{path} cannot be read: {error}") from error
