"""Our pages; ``views.py`` hands them to CKAN."""
