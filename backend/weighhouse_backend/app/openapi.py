"""Writes the OpenAPI document: `python -m weighhouse_backend.app.openapi FILE`."""

import json
import sys
from pathlib import Path

from weighhouse_backend.app.factory import create_app
from weighhouse_backend.kit.settings import Settings


def document() -> str:
    """The document as text; needs neither database nor Redis."""
    settings = Settings(
        database_url="postgresql+psycopg://nobody@127.0.0.1:1/none",
        redis_url="redis://127.0.0.1:1/0",
    )
    schema = create_app(settings).openapi()
    return json.dumps(schema, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(document(), encoding="utf-8")
