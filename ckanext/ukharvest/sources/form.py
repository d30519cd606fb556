"""The pages of a source's form: show it, validate what it sends, save that, show its errors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ckan import authz
from ckan.plugins import toolkit as tk
from flask import Blueprint, g

from ckanext.ukharvest import config, source_types
from ckanext.ukharvest.core import schedule
from ckanext.ukharvest.core.errors import Blocked
from ckanext.ukharvest.core.http.guard import Guard
from ckanext.ukharvest.core.http.urls import parse
from ckanext.ukharvest.harvest.records.record_rows import free_name
from ckanext.ukharvest.harvest.sources import schedules
from ckanext.ukharvest.lib import lookups
from ckanext.ukharvest.lib.actions import context, roll_back
from ckanext.ukharvest.lib.lookups import source_row_of
from ckanext.ukharvest.lib.pages import ask, check_token
from ckanext.ukharvest.source_types.source_type import URL_HINT
from ckanext.ukharvest.sources import approvals, description, schedule_form
from ckanext.ukharvest.sources import pages as source_pages
from ckanext.ukharvest.sources import rules as source_rules
from ckanext.ukharvest.sources.form_values import (
    COMMON,
    Field,
    Form,
    Options,
    SentSource,
    build_fields,
    find_type,
    parse_form,
    part_of,
    place_error,
    read_config,
    shown_options,
    without_field,
)
from ckanext.ukharvest.sources.steps import ALREADY_RUNNING, describe_request

Errors = dict[str, list[str]]
# Accepts every valid URL.
_ANYWHERE = Guard(("0.0.0.0/0", "::/0"))
NO_OWNER = "none"  # value for no organisation; an empty field means that none was chosen


def find_errors(form: Form, sent: SentSource, source: Mapping[str, Any] | None) -> Errors:
    """Return field name → messages, {} if the form is valid.

    Args:
        form: the sent form.
        sent: the source that it sends.
        source: the source to edit, as ``pages.find_source`` returns it; None for a new one.
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
    errors.update(schedule_form.find_schedule_errors(form, source, sysadmin=is_sysadmin()))
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


def assign_to_fields(
    refused: Mapping[str, Any], kind: source_types.SourceType | None, *, sysadmin: bool
) -> Errors:
    """Return an action's errors as field name → messages; options' errors at their fields."""
    errors: Errors = {}
    for name, messages in refused.items():
        for message in map(str, messages if isinstance(messages, list) else [messages]):
            field, text = name, message
            if name == "config" and kind:
                field, text = place_error(kind, message, sysadmin=sysadmin)
            errors.setdefault(field, []).append(text)
    return errors


def sort_errors(errors: Errors, kind: source_types.SourceType | None) -> Errors:
    """Return errors in the order of the fields on the page."""
    shown = shown_options(kind, sysadmin=True) if kind else []
    own = [field.name for field in shown if field.part != COMMON]
    common = [field.name for field in shown if field.part == COMMON]
    first = ("source_type", "url", *own, "title", "owner_org", "notes")
    order = (*first, *schedule_form.FIELDS, "name", *common, "config")
    place = {name: number for number, name in enumerate(order)}
    return dict(sorted(errors.items(), key=lambda error: place.get(error[0], len(order))))


@dataclass(frozen=True, slots=True)
class Type:
    """A source type in the form; its texts are those of ``SourceType``, translated.

    Attributes:
        ours: its options have fields.
        part: of the form, that these stand in.
        fields, rare: those of its options; ``rare`` under "More options".
    """

    name: str
    label: str
    line: str
    hint: str
    example: str = ""
    docs_url: str = ""
    template: str = ""
    group: str = "others"
    ours: bool = False
    part: str = ""
    fields: Sequence[Field] = ()
    rare: Sequence[Field] = ()


def groups(types: Iterable[Any]) -> Iterator[tuple[str, list[Any]]]:
    """Yield pairs of a group's title and its types (``SourceType`` or ``Type``), if it has any."""
    types = list(types)
    for key, title in source_types.GROUPS.items():
        if members := [kind for kind in types if kind.group == key]:
            yield tk._(title), members


def all_types(form: Form, options: Options, errors: Errors, *, sysadmin: bool) -> list[Type]:
    """Return the types of this portal's plugins, those of other extensions last.

    A name of the portal's own for a type stands behind that type.

    Args:
        form: the sent form; an empty one shows the options.
        options: options of the source to edit.
        errors: field name → messages.
        sysadmin: whether to include options that only sysadmins may set.
    """
    ours, infos = config.our_type_names(), _infos()
    own_types = [kind for kind in source_types.own_types() if kind.own_type not in infos]
    own = [
        build_type(of_name, form, options, errors, sysadmin=sysadmin)
        for kind in source_types.in_form_order()
        if config.type_name(kind) in ours
        for of_name in (kind, *(own for own in own_types if own.name == kind.name))
    ]
    return [*own, *(_other(info) for name, info in infos.items() if name not in ours)]


def build_type(
    kind: source_types.SourceType, form: Form, options: Options, errors: Errors, *, sysadmin: bool
) -> Type:
    """Return one type with the fields of its options."""
    fields = _fields(kind, part_of(kind), form, options, errors, sysadmin=sysadmin)
    return Type(
        kind.own_type or config.type_name(kind),
        tk._(kind.title),
        tk._(kind.line),
        tk._(kind.url_hint),
        example=kind.url_example,
        docs_url=kind.docs_url,
        template=kind.template,
        group=kind.group,
        ours=True,
        part=part_of(kind),
        fields=[field for field in fields if not field.option.is_rare],
        rare=[field for field in fields if field.option.is_rare],
    )


def _fields(  # noqa: PLR0913
    kind: source_types.SourceType,
    part: str,
    form: Form,
    options: Options,
    errors: Errors,
    *,
    sysadmin: bool,
) -> Sequence[Field]:
    """Return the fields of a part of the form."""
    shown = [field for field in shown_options(kind, sysadmin=sysadmin) if field.part == part]
    return build_fields(shown, form, options, errors, tk._)


def _infos() -> dict[str, Mapping[str, str]]:
    return {info["name"]: info for info in tk.h.harvesters_info()}


def _other(info: Mapping[str, str]) -> Type:
    title, line = info.get("title") or info["name"], info.get("description")
    return Type(info["name"], tk._(title), tk._(line) if line else "", tk._(URL_HINT))


source_form = Blueprint("ukharvest_source_form", __name__)

# Fields that a link may fill in: all of them are visible, and none has effects beyond the form.
_OFFERED = ("url", "source_type", "title", "owner_org", "notes", "frequency")
_SIMPLE = ("frequency", "cron", "time", "url", "title", "name", "notes", "owner_org", "source_type")
Source = dict[str, Any]


@source_form.route("/harvest/new", methods=["GET", "POST"])
def new() -> Any:
    """Show the form for a new source, filled in from URL parameters, or save it."""
    check_may_create()
    if tk.request.method != "POST":
        asked = tk.request.args
        return page(Form({name: asked[name] for name in _OFFERED if name in asked}))
    return _answer(tk.request.form, None)


@source_form.route("/harvest/edit/<id>", methods=["GET", "POST"])
def edit(id: str) -> Any:  # noqa: A002 - the name in CKAN's route
    source = find_with_settings(id)
    is_sent = tk.request.method == "POST"
    return _answer(tk.request.form, source) if is_sent else page(Form(), source)


def check_may_create() -> None:
    """Abort if the user may not add sources."""
    try:
        tk.check_access("harvest_source_create", context(), {})
    except tk.NotAuthorized:
        source_pages.refuse_adding()


def find_with_settings(name: str) -> Source:
    """Return the source of a name or id with its settings, or abort.

    As ``pages.find_source``, with ``config`` (JSON text), ``schedule`` (``time``, ``days``,
    ``zone`` and ``cron``) and ``next_starts``.
    """
    source = source_pages.find_source(name)
    # Not from harvest_source_show, which returns the options of the search index.
    row = source_row_of({"source_id": source["id"]})
    plan = schedules.schedule_of(row.schedule)
    return {
        **source,
        "config": str(row.source.config or ""),
        "schedule": plan._asdict(),
        "next_starts": schedules.next_starts(row.source, plan) if source["active"] else [],
    }


def find_edited_source(form: Form) -> Source | None:
    """Return the source that a sent form edits, None for a new one, or abort."""
    if form.get("id"):
        return find_with_settings(form["id"])
    check_may_create()
    return None


def parse_source(form: Form, source: Source | None) -> SentSource:
    """Return the source that a form sends; see ``form_values``."""
    stored = {"source_type": source["source_type"], "config": source["config"]} if source else {}
    return parse_form(form, sysadmin=tk.current_user.is_authenticated and is_sysadmin(), **stored)


def is_sysadmin() -> bool:
    return bool(tk.h.check_access("sysadmin"))


def _answer(form: Form, source: Source | None) -> Any:
    """Save the sent form, or show it again with its errors."""
    check_token()
    sent = parse_source(form, source)
    errors = find_errors(form, sent, source)
    alike: list[dict[str, str]] = []
    is_old = source is not None and source["url"] == sent.url
    if not (errors or is_old or form.get("same_address")):  # the user has confirmed them
        alike = source_rules.find_sources_by_url(sent.url, source["id"] if source else "")
    if errors or alike:
        return page(form, source, errors, alike=alike)
    dry_run = None
    is_compared = source is not None and not form.get("not_compared")
    if source and is_compared and source_rules.needs_dry_run(source["id"], sent.url):
        asked = {"source_id": source["id"], "url": sent.url, "config": sent.config}
        try:
            dry_run = tk.get_action("ukharvest_source_preview_create")(context(), asked)
        except tk.ValidationError as exc:
            errors = refused_fields(exc, sent)
            return page(form, source, errors, may_skip="url" not in errors)
        # Options are of what is read at the URL, and a secret is bound to its server.
        sent = replace(sent, url=source["url"], config=source["config"])
    moves = ""
    if source and _may_give(form):
        moves = description.moving_text(source, _owner(form))
    try:
        saved = _save(form, sent, source)
    except tk.NotAuthorized as exc:
        return tk.abort(403, str(exc))
    except tk.ValidationError as exc:
        errors = refused_fields(exc, sent)
        if dry_run:
            ask("ukharvest_source_preview_stop", id=dry_run["id"])
        return page(form, source, errors)
    if dry_run:
        text = tk._(
            "Everything but the URL and the options is saved. See what is at the new URL, then "
            "save it."
        )
        tk.h.flash_notice(f"{text} {moves}".strip())
        return tk.redirect_to("ukharvest_source_previews.show", id=dry_run["id"])
    said = approvals.asked_of(saved["id"]) or _start(form, saved)
    tk.h.flash_success(" ".join(filter(None, (tk._("Saved."), said, moves))))
    return tk.redirect_to("harvest.read", id=saved["name"])


def refused_fields(exc: tk.ValidationError, sent: SentSource) -> Errors:
    """Return field name → messages after an action refused the sent source; roll back."""
    roll_back()
    return assign_to_fields(exc.error_dict, sent.kind, sysadmin=is_sysadmin())


def _save(form: Form, sent: SentSource, source: Source | None) -> dict[str, Any]:
    frequency = schedule_form.stored_frequency(form, source)
    data = {"url": sent.url, "config": sent.config, "frequency": frequency}
    data |= {key: form.get(key, "").strip() for key in ("title", "notes")}
    if name := form.get("name", "").strip():
        data["name"] = name
    if source is None or _may_give(form):
        data["owner_org"] = _owner(form)
    if source is None:
        data["name"] = name or source_rules.allowed_name(free_name(data["title"]))
        data["source_type"] = sent.source_type
        saved = tk.get_action("harvest_source_create")(context(), data)
    else:
        saved = tk.get_action("harvest_source_patch")(context(), {"id": source["id"], **data})
    schedule_form.save_schedule(form, saved["id"], source)
    _save_mail(form, saved["id"])
    return dict(saved)


def _may_give(form: Form) -> bool:
    """Tell whether the form may give a saved source to another organisation."""
    return is_sysadmin() and "owner_org" in form


def _owner(form: Mapping[str, Any]) -> str:
    sent = form.get("owner_org", "")
    return "" if sent == NO_OWNER else sent


def _save_mail(form: Form, source_id: str) -> None:
    """Add the user to those who get emails about failures, or remove them; the others stay."""
    if "asks_mail" not in form:
        return
    shown = ask("ukharvest_mail_show", source_id=source_id)
    wanted, me = bool(form.get("mail_me")), tk.current_user.id
    if wanted == _gets_mail(shown) or me not in [person["id"] for person in shown["people"]]:
        return
    people = {person["id"] for person in shown["people"] if person["chosen"]}
    data = {key: shown[key] for key in ("addresses", "events", "weekly")}
    data["people"] = sorted(people | {me} if wanted else people - {me})
    if wanted:
        data["events"] = list(dict.fromkeys((*shown["events"], "failed", "recovered")))
    tk.get_action("ukharvest_mail_update")(context(), {"source_id": source_id, **data})


def _gets_mail(shown: dict[str, Any]) -> bool:
    """Tell whether the user gets emails about failures; ``shown``: of ukharvest_mail_show."""
    people = [person["id"] for person in shown["people"] if person["chosen"]]
    return tk.current_user.id in people and "failed" in shown["events"]


def _start(form: Form, saved: Mapping[str, Any]) -> str:
    """Start the first run if the form asks for it; return what the next page says of it."""
    if form.get("save") != "run":
        return ""
    try:
        run = tk.get_action("ukharvest_run_create")(context(), {"source_id": saved["id"]})
    except (tk.ValidationError, tk.NotAuthorized):
        return str(tk._(ALREADY_RUNNING))
    return describe_request(run)


def page(
    form: Form,
    source: Source | None = None,
    errors: Errors | None = None,
    *,
    alike: list[dict[str, str]] | None = None,
    may_skip: bool = False,
    config_text: str | None = None,
    **more: Any,
) -> str:
    """Return the form's page.

    Args:
        form: the sent form, shown unchanged; an empty one shows the source.
        source: the source to edit (``find_with_settings``), None for a new one.
        errors: field name → messages.
        alike: other sources with the URL: dicts with ``name`` and ``title``.
        may_skip: whether the new URL may be saved without a test, which was refused.
        config_text: options as JSON, where the form does not send them; None: of the source.
        more: more variables of the template, such as the result of a preview.
    """
    sysadmin = is_sysadmin()
    values = _values(form, source)
    if config_text is None:
        config_text = source["config"] if source else ""
    kind = find_type(values["source_type"], config_text)
    errors = sort_errors(errors or {}, kind)
    options = read_config(config_text) or {}
    shown: dict[str, Any] = {
        "values": values,
        "errors": errors,
        "alike": alike or [],
        "may_skip": may_skip,
        "move": description.latest_move(source["id"]) if source else None,
        "sysadmin": sysadmin,
        "asks": config.approves_sources() and not sysadmin,
        **schedule_form.describe_fields(values, source, sysadmin=sysadmin),
        "common": _fields(source_types.CKAN, COMMON, form, options, errors, sysadmin=sysadmin),
        "config": _config(form, config_text, kind, sysadmin=sysadmin),
        "unowned": may_be_unowned(),
        "left_out": source_types.left_out() if sysadmin else (),
        "mail_me": _asks_for_mail(form, source),
    }
    if source:
        name = source["source_type"]
        shown["types"] = [
            build_type(kind, form, options, errors, sysadmin=sysadmin)
            if kind
            else _other(_infos().get(name, {"name": name}))
        ]
        if sysadmin:
            shown["moving"] = description.moving_text(source, _owner(values))
            shown["would_move"] = description.count_moving(source, None)
    else:
        shown["types"] = all_types(form, options, errors, sysadmin=sysadmin)
        shown["groups"] = list(groups(shown["types"]))
        shown["usual"] = source_types.USUAL
    g.dataset_type = lookups.TYPE  # CKAN's templates use it for links
    variables = {"form": shown, "harvest_source": source or {}, "source": source, **more}
    return str(tk.render("ukharvest/source_form/form.html", variables))


def _values(form: Form, source: Source | None) -> dict[str, Any]:
    """Return the values of the fields that are not options."""
    if source and not form:
        plain = {name: source.get(name) or "" for name in _SIMPLE}
        return {**plain, **schedule_form.stored_values(source)}
    values: dict[str, Any] = {name: form.get(name, "") for name in _SIMPLE}
    values["days"] = form.getlist("days")
    if source:
        values["source_type"] = source["source_type"]
        values["owner_org"] = values["owner_org"] or source["owner_org"]
    elif "frequency" not in form:
        values["frequency"] = schedule.USUAL_FREQUENCY
    return values


def _asks_for_mail(form: Form, source: Source | None) -> bool:
    """Tell whether the box for emails is ticked; at first it is for who adds the source."""
    if "asks_mail" in form:
        return bool(form.get("mail_me"))
    return source is None or _gets_mail(ask("ukharvest_mail_show", source_id=source["id"]))


def _config(form: Form, text: str, kind: source_types.SourceType | None, *, sysadmin: bool) -> str:
    """Return the options without a field, as JSON; ``text``: all options where none are sent."""
    if "config" in form:
        return form["config"]
    return without_field(text, kind, sysadmin=sysadmin) if kind else text
