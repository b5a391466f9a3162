"""Claims of published studies, as expressions over cells: read, and held against figures. Pure."""
