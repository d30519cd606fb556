"""The command ``ukharvest check``, which needs no CKAN: its arguments and what it prints."""
