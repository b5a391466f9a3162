"""The domain by feature, on floors, and its HTTP API."""
