"""Stars need the right to read the dataset."""

from __future__ import annotations

import ckan.plugins.toolkit as tk
import pytest
from ckan import model
from ckan.tests import factories
from ckan.tests.helpers import call_action, call_auth

from tests.ckan.stars.starred_datasets import make, show

pytestmark = pytest.mark.in_process


def test_stars_need_the_right_to_read_the_dataset() -> None:
    organization = factories.Organization()
    id_ = make({"format": "CSV"}, owner_org=organization["id"], private=True)
    stranger = factories.User()["name"]
    with pytest.raises(tk.NotAuthorized):
        call_auth("ukharvest_stars_show", {"user": stranger, "model": model}, id=id_)
    with pytest.raises(tk.NotAuthorized):
        call_auth("ukharvest_stars_show", {"user": "", "model": model}, id=id_)
    with pytest.raises(tk.ObjectNotFound):
        show("nobody")
    listed = call_action("ukharvest_stars_list", organization=organization["name"])
    assert listed == {"count": 0, "results": []}
