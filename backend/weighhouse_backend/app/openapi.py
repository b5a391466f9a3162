"""Writes the OpenAPI document: `python -m weighhouse_backend.app.openapi FILE`, for people to read;
with `--served`, as programs are sent it.
"""

import json
import sys
from pathlib import Path

from weighhouse_backend.app.factory import create_app
from weighhouse_backend.kit.settings import Settings

SERVED = "--served"


def document(*, served: bool = False) -> str:
    """The document as text; needs neither database nor Redis.

    :param served: without what only a reader of its text wants.
    """
    settings = Settings(
        database_url="postgresql+psycopg://nobody@127.0.0.1:1/none",
        redis_url="redis://127.0.0.1:1/0",
    )
    schema = create_app(settings).openapi()
    if served:
        return json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
    return json.dumps(schema, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(document(served=SERVED in sys.argv[2:]), encoding="utf-8")
