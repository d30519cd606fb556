"""Shared foundations: records, errors, options, problems, values. Imports no other part of ours."""
