"""Executions of experiments: plan, runs, attempts, allocation, leases, live events."""
