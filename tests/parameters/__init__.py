"""Holds every plugin's manifest against the real system, parameter by parameter."""
