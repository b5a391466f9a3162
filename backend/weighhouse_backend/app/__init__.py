"""The composition root: settings, routers, the frontend's files, the OpenAPI document."""
