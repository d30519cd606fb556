"""Babel's message extractors for CKAN's templates; everything else is in setup.cfg."""

from setuptools import setup

setup(
    message_extractors={
        "ckanext": [
            ("**.py", "python", None),
            ("**.js", "javascript", None),
            ("**.html", "ckan", None),
            ("**/templates/**.txt", "ckan", None),
        ],
    }
)
