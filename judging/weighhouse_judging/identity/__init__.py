"""What makes cells, sides and places the same, told field by field."""
