"""Under what the figures of a bundle may be used, as far as the platform knows it."""

from collections.abc import Mapping

from weighhouse_backend.disclosure.schemas import Audience

PUBLISHED = "Published by the organization it comes from"
FOR_WHOM: Mapping[Audience, str] = {
    "internal": "For the organization it comes from",
    "others": "For whom the organization it comes from gave it",
    "public": PUBLISHED,
}
