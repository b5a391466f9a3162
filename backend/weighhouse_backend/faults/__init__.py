"""What was done to systems on purpose, and what it cost."""
