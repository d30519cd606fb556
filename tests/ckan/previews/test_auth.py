"""Who may start a test, and who may see one."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk
import pytest
from ckan import model
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp

from tests.ckan.harvesting import Portal
from tests.ckan.previews.previewing import PATH, as_, start_preview, work
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process


def test_preview_actions_check_the_user(
    editor: dict[str, str], publisher: Publisher, portal: Portal
) -> None:
    stranger = factories.User()
    begun = start_preview(editor, publisher)
    source = portal.source(publisher.url(PATH))
    # Nobody else reads the network that the ini allows to those who may add sources.
    with pytest.raises(tk.ValidationError, match="not allowed here"):
        start_preview(stranger, publisher)
    with pytest.raises(tk.NotAuthorized):
        start_preview({"name": ""}, publisher)
    for user in (stranger, {"name": ""}):
        shown = as_(user, "ukharvest_source_preview_show", id=begun["id"])
        assert (shown["may_change"], shown["form_values"]) == (False, {})
        with pytest.raises(tk.NotAuthorized):
            start_preview(user, publisher, config='{"default_tags": ["a"]}')
    checked = as_(editor, "ukharvest_source_preview_create", source_id=source)
    assert as_(editor, "ukharvest_source_preview_show", source_id=source)["id"] == checked["id"]


def test_link_shows_nothing_that_is_not_public(
    app: CKANTestApp,
    editor: dict[str, str],
    publisher: Publisher,
    portal: Portal,
    ckan_config: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A secret, a private source and the comparison with datasets here keep the link closed."""
    stranger, visitor = factories.User(), {"name": ""}
    url = publisher.url(PATH)
    setting = "ckanext.ukharvest.credentials.a-key"
    monkeypatch.setitem(ckan_config, setting, f"{url.removesuffix(PATH)} X-Key: secret")
    with_key = '{"credential": "a-key"}'
    own = portal.source(url, config={"credential": "a-key"})
    public = portal.source(publisher.url("/public.json"))
    private = portal.source(publisher.url("/private.json"))
    model.Package.get(private).private = True
    model.Session.commit()
    sysadmin = factories.SysadminWithToken()
    headers = {"Authorization": sysadmin["token"]}
    shared = "Everyone with this link can see the result"

    def start(**fields: Any) -> Any:
        return as_(sysadmin, "ukharvest_source_preview_create", **fields)

    test = {"source_type": "data_json", "url": url}
    closed = [
        start(**test, config=with_key, id=own),
        start(**test, id=private),
        start(source_id=own),
    ]
    work()
    closed += [start(source_id=private)]
    work()
    closed += [start(source_id=public, url=f"{url}?moved")]
    work()
    for preview in closed:
        assert not preview["is_open"]
        assert shared not in app.get(f"/harvest/test/{preview['id']}", headers=headers).body
        for user in (stranger, visitor):
            with pytest.raises(tk.NotAuthorized):
                as_(user, "ukharvest_source_preview_show", id=preview["id"])
    opened = [start(**test, config='{"default_tags": ["a"]}'), start(source_id=public)]
    work()
    for preview in opened:
        assert preview["is_open"]
        assert shared in app.get(f"/harvest/test/{preview['id']}", headers=headers).body
        for user in (stranger, visitor):
            shown = as_(user, "ukharvest_source_preview_show", id=preview["id"])
            assert (shown["config"], shown["may_change"]) == ("", False)
    model.Package.get(public).private = True
    model.Session.commit()
    with pytest.raises(tk.NotAuthorized):
        as_(visitor, "ukharvest_source_preview_show", id=opened[1]["id"])
