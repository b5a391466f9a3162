"""The feature's services in the graph."""

from weighhouse_backend.exports.lists import ListedService
from weighhouse_backend.kit.services import provided

SERVICES = provided(ListedService)
