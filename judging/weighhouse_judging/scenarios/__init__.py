"""What is measured next, and what came out: scenarios that decide while they measure. Pure."""
