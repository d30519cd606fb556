"""Gather, fetch and import for all source types; dataset_writer is the one writer of datasets.

Imports quality, model and below. It catches only exceptions that it expects;
``harvesters/base.py`` catches the rest.
"""
