"""Lists of values as CSV files that a portal can replace: reading, checking, updating."""
