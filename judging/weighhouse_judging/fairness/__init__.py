"""What sides of a comparison have in common, and what tells them apart."""
