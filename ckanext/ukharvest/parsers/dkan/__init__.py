"""Datasets of DKAN sites: packages of DKAN 7, entries of DKAN 2's data.json."""
