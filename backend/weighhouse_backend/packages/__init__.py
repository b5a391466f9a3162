"""The packages of this platform's own version, for its agents: an index, and a script."""
