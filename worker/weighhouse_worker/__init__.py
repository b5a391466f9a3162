"""The worker: thin tasks over the backend's services."""
