"""The exported schemas are those of the models."""

from pathlib import Path

from weighhouse_protocol.schema import rendered, schemas

DIRECTORY = Path(__file__).parent.parent / "schemas"


def test_exported_schemas_are_current() -> None:
    found = {path.name: path.read_text(encoding="utf-8") for path in DIRECTORY.glob("*.json")}
    wanted = {f"{name}.schema.json": rendered(schema) for name, schema in schemas().items()}
    assert found == wanted, "run `make gen`"
