"""What attempts leave, brought to the platform."""
