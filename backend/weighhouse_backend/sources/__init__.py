"""What others published: kept with its source, corrected with both versions shown, removed."""
