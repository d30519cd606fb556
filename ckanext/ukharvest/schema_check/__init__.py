"""Data against its schema: CSV, JSON, GeoJSON and XML files; needs no CKAN.

``check.check_data`` is the way in, ``files`` reads data and schemas from URLs and files.
"""
