"""Comparisons, findings, series and change points, the gate; pure functions below services."""
