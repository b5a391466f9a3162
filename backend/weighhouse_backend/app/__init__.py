"""The composition root: settings, routers, the frontend's files, the OpenAPI document."""

from weighhouse_backend.app.factory import create_app

__all__ = ["create_app"]
