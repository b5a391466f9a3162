"""What operations cost, by a price that somebody names; never a verdict."""
