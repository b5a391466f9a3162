"""The importers that come with Weighhouse, a module each; each is found by its entry point."""
