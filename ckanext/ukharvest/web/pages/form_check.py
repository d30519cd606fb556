"""Validation of the sent form of a source, and error messages by field."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import ckan.plugins.toolkit as tk
from ckan import authz

from ckanext.ukharvest import config, source_types
from ckanext.ukharvest.core import schedule
from ckanext.ukharvest.core.errors import Blocked
from ckanext.ukharvest.core.http.guard import Guard
from ckanext.ukharvest.core.http.urls import parse
from ckanext.ukharvest.web.pages.form_values import SentSource
from ckanext.ukharvest.web.pages.option_fields import COMMON, Form, shown_options

Errors = dict[str, list[str]]
# Accepts every valid URL.
_ANYWHERE = Guard(("0.0.0.0/0", "::/0"))
NO_OWNER = "none"  # value for no organisation; an empty field means that none was chosen
# Messages about an option begin with its name.
_OPTION = re.compile(r"(\w+): (.+)", re.DOTALL)


def find_errors(form: Form, sent: SentSource, source: Mapping[str, Any] | None) -> Errors:
    """Return field name → messages, {} if the form is valid.

    Args:
        form: the sent form.
        sent: the source that it sends.
        source: the source to edit, as ``source_frame.find`` returns it; None for a new one.
    """
    errors: Errors = {}
    if not sent.source_type:
        errors["source_type"] = [tk._("Choose what you publish")]
    if source and source.get("adopt_hint"):
        errors["source_type"] = [source["adopt_hint"]]
    if message := _check_url(sent.url):
        errors["url"] = [message]
    errors.update(sent.errors)
    if not form.get("title", "").strip():
        errors["title"] = [tk._("Enter a title")]
    # Programs may leave the field out if the site allows sources without an organisation.
    if not form.get("owner_org", "" if source is None and not may_be_unowned() else NO_OWNER):
        errors["owner_org"] = [tk._("Choose an organisation")]
    if form.get("frequency", schedule.MANUAL) not in schedule.FREQUENCIES:
        errors["frequency"] = [tk._("Choose how often")]
    if not schedule.is_time(form.get("time", "").strip()):
        errors["time"] = [tk._("Enter a time like 02:00, or none")]
    if not set(form.getlist("days")) <= set(schedule.DAYS):
        errors["days"] = [tk._("Choose days of the week")]
    return errors


def may_be_unowned() -> bool:
    """Tell whether the site allows sources without an organisation."""
    return bool(authz.check_config_permission("create_unowned_dataset"))


def _check_url(url: str) -> str:
    if not url:
        return str(tk._("Enter the URL of the catalogue"))
    if "://" not in url and not url.startswith(("/", "data:")):
        return str(tk._("Start the URL with https:// or http://"))
    try:
        parse(url)
        _ANYWHERE.check_url(url)
    except Blocked as exc:
        return exc.message
    try:
        config.guard().check_url(url)
    except Blocked:
        return str(
            tk._(
                "This URL is inside a private network. A sysadmin can allow it in the site's "
                "settings."
            )
        )
    return ""


def assign_to_fields(refused: Mapping[str, Any], source_type: str, *, sysadmin: bool) -> Errors:
    """Return an action's errors as field name → messages; options' errors at their fields."""
    errors: Errors = {}
    for name, messages in refused.items():
        for text in map(str, messages if isinstance(messages, list) else [messages]):
            field, words = _place(name, text, source_type, sysadmin=sysadmin)
            errors.setdefault(field, []).append(words)
    return errors


def _place(name: str, text: str, source_type: str, *, sysadmin: bool) -> tuple[str, str]:
    kind, match = source_types.find(source_type), _OPTION.fullmatch(text)
    if name == "config" and kind and match:
        for _part, field, option in shown_options(kind, sysadmin=sysadmin):
            if option.name == match[1]:
                return field, match[2]
    return name, text


def sort_errors(errors: Errors, source_type: str) -> Errors:
    """Return errors in the order of the fields on the page."""
    kind = source_types.find(source_type)
    shown = shown_options(kind, sysadmin=True) if kind else []
    own = [field.name for field in shown if field.part != COMMON]
    common = [field.name for field in shown if field.part == COMMON]
    first = ("source_type", "url", *own, "title", "owner_org", "notes", "frequency", "time", "days")
    order = (*first, "name", *common, "config")
    place = {name: number for number, name in enumerate(order)}
    return dict(sorted(errors.items(), key=lambda error: place.get(error[0], len(order))))
