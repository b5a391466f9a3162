"""Kinds of signed links that people get by mail."""

from weighhouse_backend.kit.signing import LinkKind

INVITATION = LinkKind(prefix="whi_", purpose=b"weighhouse invitation 1\0")
DOMAIN = LinkKind(prefix="whd_", purpose=b"weighhouse joining domain 1\0")
RESET = LinkKind(prefix="whn_", purpose=b"weighhouse password reset 1\0")
