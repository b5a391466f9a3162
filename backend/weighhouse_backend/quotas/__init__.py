"""How much organizations and projects may use: limits, use, and what is refused beyond."""
