"""What Weighhouse concludes from figures. Pure: no database, no web, no clock, no files."""
