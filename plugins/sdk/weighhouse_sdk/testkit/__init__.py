"""For tests alone: what every plugin and tool is held to, and what a test run really set up."""
