"""The same cell over campaigns: points, segments, what each stood for."""
