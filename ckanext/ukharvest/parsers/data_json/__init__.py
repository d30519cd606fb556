"""Datasets of data.json: Project Open Data 1.0 and 1.1, DCAT-US 3, and data.gov.uk's dialect."""
