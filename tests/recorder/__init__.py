"""Recorders of what the product does, to compare two versions of the code."""
