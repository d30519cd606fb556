"""What is at the address of a resource."""
