"""Barriers: how far a gang is, whom it waits for, when the next part begins. Pure."""

LEAD_SECONDS = 2.0
"""From the release of a barrier that begins a phase to the phase's begin."""
BEFORE_DRIVERS_SECONDS = 600.0
"""What the servers' members may take for placing, starting and forming a system."""
AWAY_SECONDS = 60.0
"""How long a member may stay away from a barrier of phases, beyond the load phase, once the first
driver is there: drivers start together and measure for the same time."""
