"""What must be said of a run before its figures are believed."""
