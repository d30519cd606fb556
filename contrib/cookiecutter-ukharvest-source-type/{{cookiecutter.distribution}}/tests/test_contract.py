"""The contract of source types, without CKAN."""

from ckanext.ukharvest.testing.contract import *  # noqa: F403
