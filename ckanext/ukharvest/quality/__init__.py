"""Quality of datasets: link checks, and stars and themes saved with a dataset.

Nothing here writes a dataset. Imports model and below.
"""
