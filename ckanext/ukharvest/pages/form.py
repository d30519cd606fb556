"""Pages: a source's form, new and edited, at the addresses of CKAN's own.

CKAN's routes of the dataset type stand behind these. They would show what ckanext-harvest's form
shows, whose template has its list of types in no block.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import ckan.plugins.toolkit as tk
from ckan import model
from ckanext.harvest.model import HarvestSource
from flask import Blueprint, g

from ckanext.ukharvest import config, types
from ckanext.ukharvest.core import schedule
from ckanext.ukharvest.logic import source_rules
from ckanext.ukharvest.model.names import free_name
from ckanext.ukharvest.pages import form_check, source_frame
from ckanext.ukharvest.pages.common import ask, check_token, context
from ckanext.ukharvest.pages.form_check import Errors
from ckanext.ukharvest.pages.form_parts import all_types, common_fields, groups, of_type
from ckanext.ukharvest.pages.form_values import Form, Sent, read, read_config, without_field
from ckanext.ukharvest.sweeper.schedules import portal_zone
from ckanext.ukharvest.words import source_words

source_form = Blueprint("ukharvest_source_form", __name__)

# What a link may fill in: all of it stands in plain sight, and no option reaches further.
_OFFERED = ("url", "source_type", "title", "owner_org", "notes", "frequency")
_SIMPLE = ("url", "title", "name", "notes", "owner_org", "frequency", "time", "source_type")
Source = dict[str, Any]


@source_form.route("/harvest/new", methods=["GET", "POST"])
def new() -> Any:
    """Add a source; what a link says of it is filled in."""
    check_may_create()
    if tk.request.method != "POST":
        given = tk.request.args
        return page(Form({name: given[name] for name in _OFFERED if name in given}))
    return _answer(tk.request.form, None)


@source_form.route("/harvest/edit/<id>", methods=["GET", "POST"])
def edit(id: str) -> Any:  # noqa: A002 - the name in CKAN's route
    source = find(id)
    if tk.request.method != "POST":
        return page(Form(), source)
    return _answer(tk.request.form, source)


def check_may_create() -> None:
    """Leave a page that is not for who asks."""
    try:
        tk.check_access("harvest_source_create", context(), {})
    except tk.NotAuthorized:
        source_frame.refuse()


def find(name: str) -> Source:
    """Return the source that is edited, or leave the page.

    As ``source_frame.find``, with ``config`` (JSON text), ``schedule`` (as
    ``ukharvest_schedule_show``).
    """
    source = source_frame.find(name)
    # harvest_source_show would show what the search index has.
    row = HarvestSource.get(source["id"])
    found = ask("ukharvest_schedule_show", source_id=source["id"])
    return {**source, "config": row.config or "", "schedule": found}


def edited(form: Form) -> Source | None:
    """Return the source that a sent form is of, None for a new one, or leave the page."""
    if form.get("id"):
        return find(form["id"])
    check_may_create()
    return None


def sent_by(form: Form, source: Source | None) -> Sent:
    """Return what a form says of a source; see ``form_values``."""
    stored = {"source_type": source["source_type"], "config": source["config"]} if source else {}
    return read(form, sysadmin=tk.current_user.is_authenticated and is_sysadmin(), **stored)


def is_sysadmin() -> bool:
    return bool(tk.h.check_access("sysadmin"))


def _answer(form: Form, source: Source | None) -> Any:
    """Save what was sent, or show the form again with what is wrong."""
    check_token()
    sent = sent_by(form, source)
    errors = form_check.problems(form, sent, source)
    alike = [] if errors else _alike(form, sent, source)
    if errors or alike:
        return page(form, source, errors, alike=alike)
    try:
        saved = _save(form, sent, source)
    except tk.NotAuthorized:
        return tk.abort(403, tk._("Not authorised to do this"))
    except tk.ValidationError as exc:
        model.Session.rollback()
        told = form_check.placed(exc.error_dict, sent.source_type, sysadmin=is_sysadmin())
        return page(form, source, told)
    tk.h.flash_success(_done(form, saved, is_new=source is None))
    return tk.redirect_to("harvest.read", id=saved["name"])


def _alike(form: Form, sent: Sent, source: Source | None) -> list[dict[str, str]]:
    """Other sources of the address, unless somebody has said that it is meant."""
    if form.get("same_address") or (source and source["url"] == sent.url):
        return []
    return source_rules.same_address(sent.url, source["id"] if source else "")


def _save(form: Form, sent: Sent, source: Source | None) -> dict[str, Any]:
    frequency = form.get("frequency") or (source or {}).get("frequency") or schedule.MANUAL
    data = {"url": sent.url, "config": sent.config, "frequency": frequency}
    data["title"] = form.get("title", "").strip()
    data["notes"] = form.get("notes", "").strip()
    if name := form.get("name", "").strip():
        data["name"] = name
    if source is None:
        data["name"] = data.get("name") or source_rules.allowed_name(free_name(data["title"]))
        data |= {"source_type": sent.source_type, "owner_org": _owner(form)}
        saved = tk.get_action("harvest_source_create")(context(), data)
    else:
        if is_sysadmin() and "owner_org" in form:
            data["owner_org"] = _owner(form)
        saved = _patch({"id": source["id"], **data})
    _save_schedule(form, saved["id"], source)
    return dict(saved)


def _owner(form: Form) -> str:
    sent = form.get("owner_org", "")
    return "" if sent == form_check.NO_OWNER else sent


def _patch(data: dict[str, Any]) -> Any:
    return tk.get_action("harvest_source_patch")(context(), data)


def _save_schedule(form: Form, source_id: str, source: Source | None) -> None:
    if "time" not in form and "days" not in form:
        return
    zone = source["schedule"]["zone"] if source else ""
    wanted = {"time": form.get("time", "").strip(), "days": form.getlist("days"), "zone": zone}
    tk.get_action("ukharvest_schedule_update")(context(), {"source_id": source_id, **wanted})


def _done(form: Form, saved: Mapping[str, Any], *, is_new: bool) -> str:
    """Start the first run where that was asked for; return the message for the next page."""
    if form.get("save") != "run":
        return str(tk._("Saved. Nothing has been run yet.") if is_new else tk._("Saved."))
    try:
        tk.get_action("ukharvest_run_create")(context(), {"source_id": saved["id"]})
    except (tk.ValidationError, tk.NotAuthorized):
        return str(tk._("Saved. No run was started: one is waiting or running already."))
    minutes = config.schedule_tick_minutes()
    message = tk.ungettext(
        "Saved. The first run will start within {minutes} minute; this page follows it.",
        "Saved. The first run will start within {minutes} minutes; this page follows it.",
        minutes,
    )
    return str(message.format(minutes=minutes))


def page(
    form: Form,
    source: Source | None = None,
    errors: Errors | None = None,
    *,
    alike: list[dict[str, str]] | None = None,
    **more: Any,
) -> str:
    """Return the form's page.

    Args:
        form: what was sent, shown as it is; an empty one shows the source.
        source: the one that is edited (``find``), None for a new one.
        errors: messages by name of the field.
        alike: sources that have the address already: ``name`` and ``title``.
        more: further variables of the template, such as the result of a trial.
    """
    sysadmin = is_sysadmin()
    values = _values(form, source)
    errors = form_check.in_order(errors or {}, values["source_type"])
    options = read_config(source["config"] if source else "") or {}
    shown: dict[str, Any] = {
        "values": values,
        "errors": errors,
        "alike": alike or [],
        "sysadmin": sysadmin,
        "frequencies": _frequencies(values["frequency"], sysadmin=sysadmin),
        "days": source_words.DAYS,
        "zone": source["schedule"]["zone"] if source else portal_zone(),
        "minutes": config.schedule_tick_minutes(),
        "common": common_fields(form, options, errors, sysadmin=sysadmin),
        "config": _config(form, source, values["source_type"], sysadmin=sysadmin),
        "unowned": form_check.may_be_unowned(),
    }
    if source:
        kind = of_type(source["source_type"], form, options, errors, sysadmin=sysadmin)
        template, shown["types"], shown["groups"] = "edit", [kind], []
    else:
        shown["types"] = all_types(form, options, errors, sysadmin=sysadmin)
        template, shown["groups"] = "new", groups(shown["types"])
    g.dataset_type = source_frame.TYPE  # stock templates make their links with it
    variables = {"form": shown, "harvest_source": source or {}, "source": source, **more}
    return str(tk.render(f"ukharvest/source_form/{template}.html", variables))


def _values(form: Form, source: Source | None) -> dict[str, Any]:
    """What the plain fields show."""
    if source and not form:
        plain = {name: source.get(name) or "" for name in _SIMPLE}
        return {**plain, "time": source["schedule"]["time"], "days": source["schedule"]["days"]}
    values: dict[str, Any] = {name: form.get(name, "") for name in _SIMPLE}
    values["days"] = form.getlist("days")
    if source:
        values["source_type"] = source["source_type"]
        values["owner_org"] = values["owner_org"] or source["owner_org"]
    elif "frequency" not in form:
        values["frequency"] = source_words.USUAL_FREQUENCY
    return values


def _config(form: Form, source: Source | None, source_type: str, *, sysadmin: bool) -> str:
    """The options as JSON that have no field."""
    if "config" in form:
        return form["config"]
    kind = types.find(source_type)
    text = source["config"] if source else ""
    return without_field(text, kind, sysadmin=sysadmin) if kind else text


def _frequencies(chosen: str, *, sysadmin: bool) -> dict[str, str]:
    """Again and again is a load on the site: offered to those who carry it."""
    words = source_words.FREQUENCIES
    left_out = () if sysadmin or chosen == schedule.ALWAYS else (schedule.ALWAYS,)
    return {value: label for value, label in words.items() if value not in left_out}
