"""Every suite of tests and every check, run side by side: `make test`, `make check`."""
