"""All that must stand beside numbers, as one list."""
