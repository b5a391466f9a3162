"""Runs foreign load tools behind the drivers' protocol; what each tool's folder need not repeat."""
