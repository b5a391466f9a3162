"""The `weighhouse` command and the embedded platform: where all parts meet."""
