"""Directories of organizations: who leaves one there leaves here, too."""
