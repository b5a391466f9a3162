"""Reports: text by several authors with live references to figures, and editions that stay."""
