"""The pages of docs/sources, made from the code."""
