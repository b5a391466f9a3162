"""Whether sides differ, and whether a build may pass."""
