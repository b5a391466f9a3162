"""What can go wrong with exports, as problems."""

from weighhouse_backend.kit.problems import Problem


class ExportsBusy(Problem, status=503, title="Other exports are being written; try again"):
    """As many exports are being written as this server writes at once."""
