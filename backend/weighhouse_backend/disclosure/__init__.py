"""What must stand beside a number, and who stands behind it."""
