"""What people and channels are told of: kept with its cause, delivered until it has arrived."""
