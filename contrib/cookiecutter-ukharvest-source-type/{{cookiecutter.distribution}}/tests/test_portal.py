"""The contract of source types on a portal, with real consumers."""

import pytest

pytest.importorskip("ckanext.harvest", reason="needs CKAN: pytest --ckan-ini=test.ini")

from ckanext.ukharvest.testing.portal import *  # noqa: E402, F403

pytestmark = pytest.mark.skipif(
    "not config.getoption('ckan_ini', None)", reason="needs pytest --ckan-ini=test.ini"
)
