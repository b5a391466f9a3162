"""What people write beside runs, series and points."""
