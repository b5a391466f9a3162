"""The machine: what it is, how it is divided, what its operator allows, what it keeps."""
