"""The pages of docs/sources, generated from the code."""
