"""`python -m parameters [--out FILE] [SYSTEM…]`, from the folder `tests`.

The last line is JSON; exit code 1 when a manifest is not what its system is.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

from weighhouse_sdk.testkit.exercises import Exercises, ParametersHeld

from parameters.here import host_options, systems, why_not_here
from parameters.holding import Holding


def say(text: str) -> None:
    """Tell it to whoever waits."""
    print(text, file=sys.stderr, flush=True)


def keep(path: Path, held: ParametersHeld) -> None:
    """Write a system down, beside what is known of others."""
    path.parent.mkdir(parents=True, exist_ok=True)
    known = path.read_text(encoding="utf-8") if path.exists() else "{}"
    others = [one for one in Exercises.model_validate_json(known).held if one.plugin != held.plugin]
    record = Exercises(held=(*others, held))
    path.write_text(record.model_dump_json(indent=1) + "\n", encoding="utf-8")


def main() -> int:
    """Hold each system that is here against its manifest."""
    parser = argparse.ArgumentParser(prog="python -m parameters")
    parser.add_argument("--out", type=Path, help="what `make systems` reads")
    parser.add_argument("systems", nargs="*")
    wanted = parser.parse_args()
    held: list[ParametersHeld] = []
    absent: dict[str, str] = {}
    with tempfile.TemporaryDirectory(prefix="weighhouse-parameters-") as directory:
        work = Path(directory)
        work.chmod(0o755)  # Servers run as accounts of their own, and pass through.
        for name, plugin in systems(wanted.systems).items():
            options = host_options(plugin, work)
            lacks = why_not_here(plugin, options)
            if lacks:
                absent[name] = lacks
                say(f"NOT RUN: {name}: {lacks}")
                continue
            say(f"· {name}")
            held.append(Holding(plugin, options, work / f"of-{name}", say).hold())
            if wanted.out is not None:
                keep(wanted.out, held[-1])
    faults = sum(len(each.faults) for each in held)
    told = {each.plugin: each.model_dump(mode="json", exclude={"plugin"}) for each in held}
    print(json.dumps({"faults": faults, "systems": told, "not_run": absent}), flush=True)
    return 1 if faults or not held else 0


if __name__ == "__main__":
    raise SystemExit(main())
