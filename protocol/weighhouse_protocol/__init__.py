"""The documents that cross a process boundary: their models, schemas and fixtures."""
