"""An id that no database can hold matches nothing."""

from __future__ import annotations

import re

import ckan.plugins.toolkit as tk
import pytest
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp
from flask import Flask

from tests.ckan.harvesting import act

pytestmark = pytest.mark.in_process


def test_a_nul_in_an_address_is_a_404(app: CKANTestApp) -> None:
    sysadmin = {"Authorization": factories.SysadminWithToken()["token"]}
    flask_app = app.flask_app
    assert isinstance(flask_app, Flask)
    tried = []
    for rule in flask_app.url_map.iter_rules():
        name = rule.endpoint.split(".")[0]
        if not (name.startswith(("ukharvest", "harvest")) or name == "dataset"):
            continue
        texts = re.findall(r"<(?!int:)(?:\w+:)?(\w+)>", rule.rule)
        if not texts:
            continue
        address = re.sub(r"<int:\w+>", "1", rule.rule)
        address = re.sub(r"<(?:\w+:)?\w+>", "a%00b", address)
        tried.append(address)
        ask = app.get if "GET" in (rule.methods or ()) else app.post
        for headers in ({}, sysadmin):
            status = ask(address, headers=headers, follow_redirects=False).status_code
            assert status in (404, 405), address  # 405: another route has the address by GET
    assert len(tried) > 40


def test_a_nul_in_an_id_is_not_found_by_the_api() -> None:
    for action, key in {
        "ukharvest_source_show": "source_id",
        "ukharvest_run_list": "source",
        "ukharvest_dataset_show": "id",
        "ukharvest_run_stop": "id",
        "harvest_source_clear": "id",
        "harvest_job_abort": "id",
    }.items():
        with pytest.raises(tk.ObjectNotFound):
            act(action, **{key: "a\0b"})
