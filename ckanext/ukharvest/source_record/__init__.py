"""The record that a dataset was made of, laid out for people to read."""
