"""What attempts reported, as rows: intervals and their levels, samples, records."""
