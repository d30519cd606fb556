"""Fixtures of the link check's tests."""

from tests.ckan.links.place import move, no_pauses, place  # noqa: F401
