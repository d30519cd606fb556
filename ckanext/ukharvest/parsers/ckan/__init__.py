"""Datasets of other CKAN sites, 2.0 to 2.12 (package_dict.py reads the dict itself)."""
