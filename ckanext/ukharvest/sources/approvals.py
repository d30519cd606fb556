"""Sources that run only when a sysadmin has accepted their host and type (setting ``approval``).

What is not accepted stands where no run reads it: an accepted source keeps its URL, type and
options, and those that somebody saved wait (``SourceRequest``). A new source is as it was saved,
and cannot be started.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ckan import model
from ckan.plugins import toolkit as tk
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest import config, source_types
from ckanext.ukharvest.core.http.urls import is_same_server
from ckanext.ukharvest.core.options import comparable_config, parse_options
from ckanext.ukharvest.core.outcomes import DecisionKind
from ckanext.ukharvest.core.values.dates import iso
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.harvest import database
from ckanext.ukharvest.harvest.records import pending
from ckanext.ukharvest.harvest.records.pending import SourceRequest
from ckanext.ukharvest.harvest.sources import decision_log
from ckanext.ukharvest.lib.texts import labelled
from ckanext.ukharvest.sources.rules import is_trusted
from ckanext.ukharvest.sources.texts import WARNING, Card

WAITS = _("Waits for approval")
REFUSED = _("Not accepted")
ASKED_NEW = _("A sysadmin has to accept the source before it runs.")
ASKED_CHANGE = _(
    "A sysadmin has to accept the new URL. Until then the source is read at the old one."
)


def hold_back(_key: Any, data: Any, errors: Any, context: Any) -> None:
    """Let a saved source keep its URL, type and options until a sysadmin accepts the new ones.

    The last validator of a source's schema: every way to save one ends here, with valid values.
    Nothing is committed.
    """
    package = context.get("package")
    if not config.approves_sources() or package is None or any(errors.values()):
        return
    source = database.lock_source(package.id)
    if source is None:
        return
    stored = {"url": source.url, "source_type": source.type, "config": source.config or ""}
    sent = {name: data.get((name,)) for name in stored}
    saved = {name: text if isinstance(text, str) else stored[name] for name, text in sent.items()}
    request, user = pending.load_request(source.id), str(context.get("user") or "")
    is_other = (saved["url"], saved["source_type"]) != (source.url, source.type)
    if is_trusted(context):
        if request and is_other:
            url, source_type = saved["url"], saved["source_type"]
            accept(source.id, user, replace(request, url=url, source_type=source_type))
    elif request and request.is_new:
        _ask(source.id, saved, user, is_new=True)
    elif needs_approval(source, saved["url"], saved["source_type"]):
        is_same = comparable_config(saved["config"]) == comparable_config(source.config)
        _ask(source.id, saved | {"config": None} if is_same else saved, user, is_new=False)
        _put(data, stored)
    elif request and (is_other or request.refused is not None):
        # Whoever saves wants another URL, or has read why this one was refused.
        pending.save_request(source.id, None)


def _put(data: dict[Any, Any], values: Mapping[str, str | None]) -> None:
    """Put values of a source in the place of the validated ones, which are extras too."""
    data.update({(name,): value for name, value in values.items()})
    for key, name in list(data.items()):
        if key[0] == "extras" and key[-1] == "key" and name in values:
            value_key = (*key[:-1], "value")
            data[value_key] = values[name]


def _ask(source_id: str, place: Mapping[str, Any], user: str, *, is_new: bool) -> None:
    before = pending.load_request(source_id)
    request = SourceRequest(**place, asked_by=user, is_new=is_new)
    if before and before == replace(request, asked_by=before.asked_by, since=before.since):
        return  # it waits already
    pending.save_request(source_id, request)


def ask_for_new(context: Mapping[str, Any], source: HarvestSource) -> None:
    """Let a new source wait, unless a sysadmin adds it; the caller commits."""
    if config.approves_sources() and not is_trusted(context):
        model.Session.flush()
        place = {"url": source.url, "source_type": source.type, "config": source.config}
        _ask(source.id, place, str(context.get("user") or ""), is_new=True)


def needs_approval(source: HarvestSource, url: str, source_type: str) -> bool:
    """Tell whether a sysadmin has to accept it if somebody else saves a source's URL and type."""
    is_same = source_type == source.type and is_same_server(url, source.url)
    return config.approves_sources() and not is_same


def is_asked(context: Mapping[str, Any], source_id: str, url: str, source_type: str) -> bool:
    """Tell whether a user who saves a source's URL and type asks a sysadmin to accept them."""
    if is_trusted(context):
        return False
    return needs_approval(model.Session.get(HarvestSource, source_id), url, source_type)


def accept(source_id: str, user: str, request: SourceRequest) -> None:
    """Store that a person accepted what was asked for; the caller saves it, and commits."""
    decision_log.add_decision(source_id, user, DecisionKind.SOURCE_ACCEPTED, **_about(request))
    pending.save_request(source_id, None)


def refuse(source_id: str, user: str, request: SourceRequest, reason: str) -> None:
    """Store that a person refused what was asked for; the caller commits."""
    kind = DecisionKind.SOURCE_REFUSED
    decision_log.add_decision(source_id, user, kind, reason=reason, **_about(request))
    pending.save_request(source_id, replace(request, refused=reason))


def _about(request: SourceRequest) -> dict[str, Any]:
    names = ("url", "source_type", "asked_by")
    return {"options": {name: getattr(request, name) for name in names}}


def _load(source: HarvestSource) -> SourceRequest | None:
    return pending.load_request(source.id) if config.approves_sources() else None


def is_new(source: HarvestSource) -> bool:
    """Tell whether a source cannot be started, because it was never accepted."""
    request = _load(source)
    return request is not None and request.is_new


def start_refusal(source: HarvestSource | None) -> str:
    """Return why a source cannot be started, "" if it is accepted."""
    return str(tk._(ASKED_NEW)) if source and is_new(source) else ""


def describe_approval(source: HarvestSource) -> dict[str, Any] | None:
    """Return what of a source is not accepted as ``ukharvest_source_show`` does, None if all is."""
    request = _load(source)
    if request is None:
        return None
    return {
        "state": "waiting" if request.refused is None else "refused",
        "is_new": request.is_new,
        "url": request.url,
        "source_type": request.source_type,
        "config": asked_options(source, request),
        "asked_by": request.asked_by,
        "reason": request.refused or "",
        "since": iso(request.since),
    }


def asked_options(source: HarvestSource, request: SourceRequest) -> str:
    """Return the options that the source gets with what waits, as JSON, "" for none.

    Those that only a sysadmin can set are the source's own, which may be newer than the request.
    """
    if request.config is None or request.is_new:
        return source.config or ""
    kind = source_types.find(request.source_type)
    if kind is None:
        return request.config
    asked, own = (parse_options(text) for text in (request.config, source.config))
    reserved = [each for each in kind.for_options(asked).all_options if each.sysadmin_only]
    barred = {name for option in reserved for name in (option.name, option.alias)}
    options = {name: value for name, value in asked.items() if name not in barred}
    options |= source_types.reserved_values(kind, own)
    return json.dumps(options, indent=2) if options else ""


def asked_of(source_id: str) -> str:
    """Return what of a source a sysadmin has to accept, "" if nothing waits."""
    return _asked_text(describe_approval(model.Session.get(HarvestSource, source_id)))


def _asked_text(approval: Mapping[str, Any] | None) -> str:
    if not approval or approval["state"] != "waiting":
        return ""
    asked = ASKED_NEW if approval["is_new"] else ASKED_CHANGE
    return str(tk._(asked))


def amend_card(card: Card, approval: Mapping[str, Any], *, decides: bool) -> Card:
    """Return the card of a source of which something is not accepted.

    Args:
        decides: the user may accept it.
    """
    is_waiting = approval["state"] == "waiting"
    label = tk._(WAITS) if is_waiting else labelled(tk._(REFUSED), approval["reason"])
    decide = ("decide",) if decides else ()
    if not approval["is_new"]:
        url = labelled(tk._("New URL"), approval["url"])
        text = (*card.text, f"{url} – {label}", _asked_text(approval))
        return replace(card, text=tuple(filter(None, text)), actions=(*card.actions, *decide))
    actions = (*decide, *(action for action in card.actions if action not in ("start", "refresh")))
    if card.value != "new":  # such as a test under way
        return replace(card, actions=actions)
    again = str(tk._("Change the source and save it to ask again."))
    return Card(WARNING, "state", "held", label, (_asked_text(approval) or again,), actions)
