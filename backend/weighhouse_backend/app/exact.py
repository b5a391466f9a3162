"""Addresses that are written out are no ids: `/experiments/validate` is not an experiment."""

from collections.abc import Sequence
from http import HTTPStatus

from fastapi import APIRouter, FastAPI
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException


def install_exact_addresses(app: FastAPI, routers: Sequence[APIRouter]) -> None:
    """Refuse, at addresses that are written out, methods which only an address with a name in it
    takes; to be called before the routers are included.

    Without it `GET /experiments/validate` would look for an experiment of that name. What each such
    address takes is kept in `app.state.exact_methods`, for the `Allow` header.
    """
    routes = [route for router in routers for route in router.routes if isinstance(route, APIRoute)]
    exact: dict[str, set[str]] = {}
    for route in routes:
        if "{" not in route.path:
            exact.setdefault(route.path, set()).update(route.methods or ())
    app.state.exact_methods = exact
    for path, taken in exact.items():
        named = [one for one in routes if "{" in one.path and one.path_regex.match(path)]
        wrong = {method for one in named for method in one.methods or ()} - taken
        if wrong:
            app.add_api_route(path, _refuse, methods=sorted(wrong), include_in_schema=False)


def _refuse() -> None:
    raise HTTPException(HTTPStatus.METHOD_NOT_ALLOWED)
