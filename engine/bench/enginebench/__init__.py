"""Benchmarks of the load engine; `make bench-engine`, `make bench-stall`, `make bench-scaling`."""
