"""Validation of GEMINI records by schemas, Schematron and rules/, as set in source profiles."""
