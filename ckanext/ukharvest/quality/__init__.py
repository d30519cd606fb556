"""Quality of datasets: stars of openness, themes, link checks.

Rules and hooks; nothing here writes a dataset. Imports model and below.
"""
