"""Configuration files of systems as targets, and settings that stand beside parameters."""
