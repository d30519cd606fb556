"""Who may call the actions of this feature. CKAN allows sysadmins everything."""

from __future__ import annotations

from typing import Any

from ckan import authz
from ckan.plugins import toolkit as tk

from ckanext.ukharvest import config
from ckanext.ukharvest.core.outcomes import PreviewKind
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.harvest.gather import previews as source_previews
from ckanext.ukharvest.harvest.gather.previews import SourcePreview
from ckanext.ukharvest.harvest.sources.source_moves import preview_kind
from ckanext.ukharvest.lib.auth import Answer, answer, update_source
from ckanext.ukharvest.lib.permissions import EDITORS, LOG_IN, may, may_if_exists
from ckanext.ukharvest.previews.rules import may_be_shared, may_enter_network

_STARTER = _("Only the person who started this test may do this.")


def may_add(context: Any, owner_org: str = "") -> bool:
    """Tell whether the user may add a source to an organisation, to any without its name or id."""
    has_organisation = may_enter_network(context.get("user") or "")
    named = {"owner_org": owner_org} if owner_org else {}
    return has_organisation and may(context, "harvest_source_create", id=None, **named)


def may_change(context: Any, preview: SourcePreview) -> bool:
    """Tell whether the user may stop a test, and sees what only its own people see of it.

    Of a saved source those who may update it, else the user who started it; the test of a
    visitor is that of everybody who has its id.
    """
    if preview.source_id:
        return may(context, "harvest_source_update", id=preview.source_id)
    user = context.get("user") or ""
    return bool(preview.user_name == user or authz.is_sysadmin(user))


@tk.auth_allow_anonymous_access
def ukharvest_source_preview_create(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow every logged-in user, and visitors if the ini says so.

    Of a saved source, users who may update it. Options need the right to add a source, and an
    organisation the right to add one to it.
    """
    if source_id := data_dict.get("id") or data_dict.get("source_id"):
        is_allowed = may(context, "harvest_source_update", id=source_id)
        return answer(context, is_allowed)
    owner_org = str(data_dict.get("owner_org") or "")
    if data_dict.get("config") or owner_org:
        return answer(context, may_add(context, owner_org))
    is_allowed = bool(context.get("user")) or config.check_visitors()
    return answer(context, is_allowed, LOG_IN)


@tk.auth_allow_anonymous_access
def ukharvest_source_preview_show(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow everybody who has its id: no list shows ids, and they cannot be guessed.

    Not if a secret opened the source or the source is not public, nor the comparison of a new URL,
    or of a first run, with the datasets here, which may be private: then those who may change it.
    """
    preview = _preview_of(data_dict)
    if may_change(context, preview):
        return {"success": True}
    if preview.source_id:
        is_open = (
            preview_kind(preview) != PreviewKind.MOVE
            and not (preview.result or {}).get("adopted")
            and may_be_shared(preview.config)
            and may_if_exists(context, "package_show", id=preview.source_id)
        )
        return answer(context, is_open)
    return answer(context, preview.given["is_open"], _STARTER)


@tk.auth_allow_anonymous_access
def ukharvest_source_preview_stop(context: Any, data_dict: dict[str, Any]) -> Answer:
    """Allow the user who started it; of a saved source, users who may update it."""
    preview = _preview_of(data_dict)
    return answer(context, may_change(context, preview), EDITORS if preview.source_id else _STARTER)


def _preview_of(data_dict: dict[str, Any]) -> SourcePreview:
    return data_dict.get("preview") or check_exists(
        source_previews.find_preview(str(data_dict.get("id")))
    )


def check_exists(preview: SourcePreview | None) -> SourcePreview:
    """Return a test that was looked for; raise ObjectNotFound if there is none."""
    if preview is None:
        raise tk.ObjectNotFound(tk._("This test does not exist. Tests are kept for a day."))
    return preview


ukharvest_source_move = update_source
