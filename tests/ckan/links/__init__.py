"""Link checks on a portal."""
