"""What can go wrong with provisions, as problems."""

from weighhouse_backend.kit.problems import Invalid


class CannotProvision(Invalid, title="No such machines can be made"):
    """The installation has no provisioner, or it does not make what is asked for."""
