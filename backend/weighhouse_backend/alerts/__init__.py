"""Where series shifted, and what follows from it."""
