"""What the links of resources are, on a portal."""
