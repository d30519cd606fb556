"""Fixtures of the link check's tests."""

from tests.ckan.links.place import at_once, move, place  # noqa: F401
