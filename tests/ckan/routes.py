"""The table of routes: who may request each page of ours, and how its URL is filled in."""

from __future__ import annotations

import re

from tests.ckan.access import ADMINS, ALL, ANY_EDITOR, EDITORS, LOGGED_IN, MEMBERS, SYSADMINS

Place = dict[str, str]
# Route → who may. <name>, <id> and <source> are the source unless the next table names another.
READ = {
    "/catalogue/export/<name>": frozenset(),  # public, and nothing has been exported
    "/ckan-admin/ukharvest": SYSADMINS,
    "/ckan-admin/ukharvest/diagnostics": SYSADMINS,
    "/ckan-admin/ukharvest/runs": SYSADMINS,
    "/ckan-admin/ukharvest/state": SYSADMINS,
    "/ckan-admin/ukharvest/values": SYSADMINS,
    "/ckan-admin/ukharvest/values.csv": SYSADMINS,
    "/dataset/<id>/harvest-changes": ALL,
    "/dataset/<id>/resource/<resource_id>/data-check.csv": frozenset(),  # nothing was checked
    "/dataset/<id>/source-record": ALL,
    "/dataset/<id>/source-record.<extension>": ALL,
    "/dataset/harvest_object/<id>": ALL,
    "/api/2/rest/harvestobject/<id>/html": ALL,
    "/api/2/rest/harvestobject/<id>/xml": ALL,
    "/harvest/": ALL,
    "/harvest/<id>/switch-off": EDITORS,
    "/harvest/<id>/switch-on": EDITORS,
    "/harvest/<name>": ALL,
    "/harvest/<name>/approval": EDITORS,
    "/harvest/<name>/check": EDITORS,
    "/harvest/<name>/datasets": ALL,
    "/harvest/<name>/deletions": EDITORS,
    "/harvest/<name>/deletions.csv": EDITORS,
    "/harvest/<name>/deletions/delete": ADMINS,
    "/harvest/<name>/identifiers": EDITORS,
    "/harvest/<name>/job/<id>": EDITORS,
    "/harvest/<name>/job/<id>/problems.csv": EDITORS,
    "/harvest/<name>/job/last": EDITORS,
    "/harvest/<name>/notifications": EDITORS,
    "/harvest/<name>/problems": EDITORS,
    "/harvest/<name>/problems/accept": ADMINS,
    "/harvest/<name>/problems.csv": EDITORS,
    "/harvest/<name>/record/<id>": EDITORS,
    "/harvest/<name>/state": EDITORS,
    "/harvest/<name>/values": EDITORS,
    "/harvest/<name>/values.csv": EDITORS,
    "/harvest/<source>/job": EDITORS,
    "/harvest/<source>/job/<id>/abort": EDITORS,
    "/harvest/about/<id>": ALL,
    "/harvest/admin/<id>": EDITORS,
    "/harvest/add": ANY_EDITOR,
    "/harvest/check": LOGGED_IN,  # visitors where the ini says so
    "/harvest/clear/<id>": ADMINS,
    "/harvest/data-checks": ALL,
    "/harvest/data-checks.csv": ALL,
    "/harvest/decisions.csv": SYSADMINS,
    "/harvest/delete/<id>": EDITORS,
    "/harvest/duplicates": ANY_EDITOR,
    "/harvest/edit/<id>": EDITORS,
    "/harvest/gemini-object/<id>": ALL,
    "/harvest/help": ALL,
    "/harvest/links": SYSADMINS,
    "/harvest/links.csv": SYSADMINS,
    "/harvest/new": ANY_EDITOR,
    "/harvest/object/<id>": ALL,
    "/harvest/refresh/<id>": EDITORS,
    "/harvest/sources.csv": ALL,
    "/harvest/stars": ALL,
    "/harvest/stars.csv": ALL,
    "/harvest/test/<uuid:id>": ALL,
    "/harvest/test/<uuid:id>/add": ANY_EDITOR,
    "/harvest/test/<uuid:id>/missing.csv": EDITORS,
    "/harvest/to-do": LOGGED_IN,
    "/harvest/unsubscribe/<token>": frozenset(),  # the email's token, not a role
    "/ukharvest/metrics": frozenset(),  # the setting's token, not a role
}
SENT = {
    "/ckan-admin/ukharvest/checks": SYSADMINS,
    "/ckan-admin/ukharvest/notice": SYSADMINS,
    "/ckan-admin/ukharvest/values": SYSADMINS,
    "/dataset/<id>/resource/<resource_id>/data-check": EDITORS,
    "/harvest/<name>/approval": SYSADMINS,
    "/harvest/<name>/check": EDITORS,
    "/harvest/<name>/near": EDITORS,
    "/harvest/add": ANY_EDITOR,
    "/harvest/check": LOGGED_IN,
    "/harvest/<name>/notifications": EDITORS,
    "/harvest/<name>/notifications/test": EDITORS,
    "/harvest/<name>/values": EDITORS,
    "/harvest/<name>/record/<id>": EDITORS,
    "/harvest/duplicates": SYSADMINS,  # of no pair; who may decide about one: access_rows.py
    "/harvest/edit/<id>": EDITORS,
    "/harvest/new": ANY_EDITOR,
    "/harvest/test": ANY_EDITOR,
    "/harvest/test/<uuid:id>/move": EDITORS,
    "/harvest/test/<uuid:id>/stop": EDITORS,
    "/harvest/unsubscribe/<token>": frozenset(),
    "/harvest/<source>/job/<id>/abort": EDITORS,
    "/harvest/refresh/<id>": EDITORS,
    "/harvest/<name>/deletions": ADMINS,
    "/harvest/<name>/deletions/delete": ADMINS,
    "/harvest/<name>/identifiers": ADMINS,
    "/harvest/<name>/problems/accept": ADMINS,
    "/harvest/clear/<id>": ADMINS,
    "/harvest/delete/<id>": EDITORS,
    "/harvest/<id>/switch-off": EDITORS,
    "/harvest/<id>/switch-on": EDITORS,
}
# The link of an email, which mail programs follow by themselves (RFC 8058): it has a token.
WITHOUT_TOKEN = {"/harvest/unsubscribe/<token>"}
# Rows for what is private: its organisation's members.
PRIVATE = {
    "/dataset/<id>/harvest-changes": MEMBERS,
    "/dataset/<id>/source-record": MEMBERS,
    "/dataset/<id>/source-record.<extension>": MEMBERS,
    "/dataset/harvest_object/<id>": MEMBERS,
    "/api/2/rest/harvestobject/<id>/html": MEMBERS,
    "/api/2/rest/harvestobject/<id>/xml": MEMBERS,
    "/harvest/gemini-object/<id>": MEMBERS,
    "/harvest/object/<id>": MEMBERS,
    "/harvest/<name>": MEMBERS,
    "/harvest/<name>/datasets": MEMBERS,
    "/harvest/about/<id>": MEMBERS,
}
# Beginning of a route → whose id <id> is.
WHOSE = (
    ("/dataset/", "dataset"),
    ("/api/2/rest/harvestobject/", "object"),
    ("/harvest/gemini-object/", "object"),
    ("/harvest/object/", "object"),
    ("/harvest/<name>/job/", "run"),
    ("/harvest/<source>/job/", "open run"),
    ("/harvest/<name>/record/", "record"),
    ("/harvest/test/<uuid:id>/add", "preview"),
    ("/harvest/test/<uuid:id>/m", "move"),
    ("/harvest/test/", "dry run"),
    ("/harvest/", "source"),
)
FORM = {
    "name": "new-one",
    "title": "New",
    "url": "https://data.example/new.json",
    "source_type": "data_json",
    "count": "2",
    "choice": "keep",
}


def filled(route: str, place: Place, private: bool = False) -> str:
    hidden = "private " if private else ""
    whose = next((kind for start, kind in WHOSE if route.startswith(start)), "")
    source = place["private source"] if private else "somewhere"
    id_ = source if whose == "source" else place.get(f"{hidden}{whose}", "")
    values = {"name": source, "source": source, "id": id_, "extension": "json", "token": "x.y"}
    values["resource_id"] = place[f"{hidden}resource"]
    return re.sub(r"<(?:int:|uuid:)?(\w+)>", lambda match: str(values[match[1]]), route)
