"""CKAN background jobs: link checks and source previews."""
