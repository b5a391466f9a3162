"""What agents carry out: allocation, offers, attempts, gangs, barriers, leases."""
