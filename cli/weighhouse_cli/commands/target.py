"""`weighhouse target`: targets out of what systems are configured by."""

from pathlib import Path
from typing import Annotated, Any

import typer
import yaml
from weighhouse_protocol.configuration.grammars import ConfigurationRefused, text_of
from weighhouse_protocol.configuration.translation import TargetFromFile, system_of, target_from
from weighhouse_sdk.registry import discover

from weighhouse_cli.client import Client, find_access
from weighhouse_cli.commands.options import AsJson, Token, Url
from weighhouse_cli.console import ERROR, print_json
from weighhouse_cli.exits import CommandFailed, Exit

app = typer.Typer(help="Targets out of what systems are configured by.", no_args_is_help=True)


@app.callback()
def target() -> None:
    """Targets out of what systems are configured by."""


@app.command("from")
def from_file(
    file: Annotated[
        Path,
        typer.Argument(
            help="redis.conf, valkey.conf, cassandra.yaml, aerospike.conf, mongod.conf, "
            "memcached.conf, OPTIONS-000005 of RocksDB, or another that a plugin reads."
        ),
    ],
    system: Annotated[
        str | None,
        typer.Option(help="Whose file it is; default: told by its name."),
    ] = None,
    offline: Annotated[
        bool, typer.Option(help="By the plugins installed here, without a platform.")
    ] = False,
    output: Annotated[
        Path | None, typer.Option(help="Write the target there; default: standard output.")
    ] = None,
    as_json: AsJson = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Turn a system's configuration file into a target, for an experiment's `targets`.

    Each line that is not in the target is named on standard error, with why.
    """
    try:
        text = text_of(file.read_bytes())
    except OSError as error:
        raise CommandFailed(Exit.INVALID, f"{file} cannot be read: {error.strerror}") from error
    except ConfigurationRefused as error:
        raise _refused(file, error) from error
    if offline:
        found = _offline(file, text, system)
    else:
        body = {"file": file.name, "text": text, "system": system}
        client = Client(find_access(url, token))
        found = client.post("/experiments/target-from-file", body, repeatable=True)
    if as_json:
        print_json(found)
        return
    _tell(file, found)
    target_document = TargetFromFile.model_validate(found).document()
    written = yaml.safe_dump([target_document], sort_keys=False, allow_unicode=True)
    if output is None:
        typer.echo(written, nl=False)
        return
    try:
        output.write_text(written, encoding="utf-8")
    except OSError as error:
        message = f"{output} cannot be written: {error.strerror}"
        raise CommandFailed(Exit.INVALID, message) from error


def _offline(file: Path, text: str, system: str | None) -> dict[str, Any]:
    manifests = {name: each.manifest for name, each in discover()[0].items()}
    try:
        manifest = system_of(file.name, manifests, system)
        return target_from(text, manifest, file.name).model_dump(mode="json")
    except ConfigurationRefused as error:
        raise _refused(file, error) from error


def _refused(file: Path, error: ConfigurationRefused) -> CommandFailed:
    lines = "\n".join(
        f"{file}{f':{one.line}' if one.line else ''}: {one.message}" for one in error.faults
    )
    return CommandFailed(Exit.INVALID, lines)


def _tell(file: Path, found: dict[str, Any]) -> None:
    for one in found["left"]:
        style = "dim" if one["reason"] == "agent" else "yellow"
        told = f"{file}:{one['line']}: {one['name']} {one['message']}"
        ERROR.print(told, style=style, soft_wrap=True, markup=False)
    taken, left = len(found["taken"]), len(found["left"])
    ERROR.print(f"{taken} taken, {left} not", style="dim", markup=False)
