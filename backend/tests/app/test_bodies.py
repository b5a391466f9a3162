"""Bodies say what they are: `true` is no number, `0` is no boolean, for people as for programs."""

import re
import typing
from collections.abc import Iterator

import pytest
from fastapi.routing import APIRoute
from pydantic import BaseModel
from weighhouse_backend.app.factory import create_app
from weighhouse_backend.kit.settings import Settings

LAX = re.compile(r"\b(int|float|bool)\b")


def routes(container: typing.Any) -> Iterator[APIRoute]:
    for one in container:
        if isinstance(one, APIRoute):
            yield one
        for name in ("routes", "original_router"):
            inner = getattr(one, name, None)
            if inner is not None:
                yield from routes(getattr(inner, "routes", inner))


def models(annotation: typing.Any, found: set[type[BaseModel]]) -> None:
    model = isinstance(annotation, type) and issubclass(annotation, BaseModel)
    if model and annotation not in found:
        found.add(annotation)
        for field in annotation.model_fields.values():
            models(field.annotation, found)
    for part in typing.get_args(annotation):
        models(part, found)


def lax(model: type[BaseModel]) -> list[str]:
    return [
        name
        for name, field in model.model_fields.items()
        if LAX.search(str(field.annotation))
        and not any(getattr(one, "strict", None) for one in field.metadata)
        and "Strict" not in str(field.annotation)
    ]


def test_bodies_of_the_api_take_no_type_for_another() -> None:
    settings = Settings(
        database_url="postgresql+psycopg://nobody@127.0.0.1:1/none",
        redis_url="redis://127.0.0.1:1/0",
    )
    found: set[type[BaseModel]] = set()
    for route in routes(create_app(settings).routes):
        if route.path.startswith("/api/") and route.body_field is not None:
            models(route.body_field.field_info.annotation, found)
    own = {one for one in found if one.__module__.startswith("weighhouse_backend")}
    assert len(own) > 30, "bodies are not found any more"
    wrong = {f"{one.__name__}.{name}" for one in own for name in lax(one)}
    assert not wrong, f"use StrictInt, StrictBool or Field(strict=True): {sorted(wrong)}"
    with pytest.raises(AssertionError):
        assert not lax(_Lax)


class _Lax(BaseModel):
    number: int
