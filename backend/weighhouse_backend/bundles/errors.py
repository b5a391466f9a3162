"""What can go wrong with bundles, as problems."""

from weighhouse_backend.kit.problems import NotFound, Problem


class BundleRefused(Problem, status=422, title="The bundle cannot be taken"):
    """It is damaged, was changed, tells what its histograms do not, or is of something else."""


class ReproductionNotFound(NotFound, title="There is no such reproduction"):
    """The campaign has none with that manifest."""
