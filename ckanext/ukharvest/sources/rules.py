"""Validation of name, URL, options and frequency when a source is saved."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from ckan import authz, model
from ckan import plugins as p
from ckan.lib import i18n
from ckan.logic.validators import package_name_validator
from ckan.plugins import toolkit as tk
from ckanext.harvest.interfaces import IHarvester
from ckanext.harvest.logic import validators as stock
from ckanext.harvest.model import HarvestSource
from flask import current_app, has_app_context
from werkzeug.exceptions import HTTPException, NotFound

from ckanext.ukharvest import config, source_types
from ckanext.ukharvest.core.errors import Blocked, ConfigError
from ckanext.ukharvest.core.http.urls import is_same_server, normalise, origin, safe_url
from ckanext.ukharvest.core.options import comparable_config, parse_options
from ckanext.ukharvest.core.schedule import ALWAYS
from ckanext.ukharvest.core.values.text import clean_text
from ckanext.ukharvest.harvest.sources.source_moves import has_datasets
from ckanext.ukharvest.lib.texts import gettext
from ckanext.ukharvest.readers.ckan_api.site import Site
from ckanext.ukharvest.source_types.portals import CKAN
from ckanext.ukharvest.source_types.source_type import OWN_TYPE
from ckanext.ukharvest.sources.form_values import read_config

Session = model.Session

STATIC = "static"  # endpoint of files, and of all paths that CKAN does not know
# What people uploaded may be the list of another catalogue.
_UPLOADED = ("resource.download", "dataset_resource.download", "file.download")


def refuse(url: str, type_name: str) -> None:
    """Refuse the URL of a page of this portal.

    Files that were uploaded to it, and other services of its server, are sources like any others.

    Args:
        type_name: of the source, "" if it is not known.

    Raises:
        Invalid: it is one.
    """
    path = _own_path(url)
    if path is None:
        return
    endpoint = _endpoint(path)
    if endpoint == STATIC:
        # CKAN's reader looks for a site at the root of the server too.
        is_ckan = CKAN.name in source_types.names_of(type_name)
        is_site = is_ckan and not Site.parse(url).is_document
    else:
        is_site = endpoint not in _UPLOADED
    if is_site:
        raise tk.Invalid(
            tk._(
                "This URL is this portal itself, which has these datasets already. Enter the URL "
                "of another site."
            )
        )


def _own_path(url: str) -> str | None:
    """Return the path below the portal's root, None if the URL is of another server or folder."""
    if not is_same_server(config.site_url(), url):
        return None
    root = str(tk.config.get("ckan.root_path") or "").partition("/{{LANG}}")[0].rstrip("/")
    path = urlsplit(url).path
    if root and path != root and not path.startswith(f"{root}/"):
        return None
    path = path[len(root) :] or "/"
    language, _, rest = path[1:].partition("/")
    return f"/{rest}" if language in i18n.get_locales() else path


def _endpoint(path: str) -> str:
    """Return CKAN's endpoint of a path; "" where it redirects, or expects another method."""
    if not has_app_context():  # some commands
        return STATIC
    try:
        endpoint, _values = current_app.url_map.bind("").match(path, method="GET")
    except NotFound:
        return STATIC
    except HTTPException:
        return ""
    return str(endpoint)


def comparable_url(url: str) -> str:
    """Return a form of a URL that is equal for two URLs of the same document, query included.

    Accepts any text: sources saved before these rules may have anything as URL.
    """
    try:
        parts = urlsplit(normalise(url))
    except (Blocked, ValueError):
        return url.strip().rstrip("/")
    standard = {"http": ":80", "https": ":443"}[parts.scheme]
    query = f"?{parts.query}" if parts.query else ""
    return f"{parts.scheme}://{parts.netloc.removesuffix(standard)}{parts.path.rstrip('/')}{query}"


# Signs that turn all text after them, which no title needs (Unicode 9, section 23.2).
_OVERRIDES = dict.fromkeys((0x202D, 0x202E))


def clean(value: Any) -> Any:
    """Return a text without control characters and overrides of direction, anything else as is."""
    return clean_text(value.translate(_OVERRIDES)) if isinstance(value, str) else value


def check_url(key: Any, data: Any, errors: Any, context: Any) -> None:
    """Refuse a URL that may not be read, is the portal's own, or that another source has."""
    url = data[key].strip()
    try:
        config.guard().check_url(url)
    except Blocked as exc:
        raise tk.Invalid(exc.message) from exc
    type_name, options = data.get(_sibling(key, "source_type")) or "", _sibling(key, "config")
    refuse(url, type_name)
    data[key] = url
    if other := find_other_source(url, data.get(options), _own_id(key, data, context)):
        raise tk.Invalid(other)
    fault = "" if errors.get(options) else find_secret_fault(url, type_name, data.get(options))
    if fault:
        errors[options] = [fault]


def check_frequency(key: Any, data: Any, _errors: Any, context: Any) -> None:
    """Refuse a frequency that only a sysadmin can choose, unless the source has it already."""
    source = Session.get(HarvestSource, _own_id(key, data, context))
    before = source.frequency if source else ""
    if data[key] == ALWAYS != before and not is_trusted(context):
        raise tk.Invalid(tk._("Only sysadmins can choose this."))


def find_faults(source: HarvestSource, place: Mapping[str, str]) -> dict[str, str]:
    """Return field → message of what saving a source elsewhere or as another type refuses.

    Args:
        place: its new ``url``, ``source_type`` and ``config``.
    """
    data = {("id",): source.id, **{(key,): value for key, value in place.items()}}
    errors: dict[Any, list[str]] = {("config",): []}
    package = model.Package.get(source.id)
    try:
        check_url(("url",), data, errors, {"package": package, "model": model, "session": Session})
    except tk.Invalid as exc:
        return {"url": str(exc.error)}
    messages = errors[("config",)]
    return {"config": "; ".join(messages)} if messages else {}


def _sibling(key: tuple[Any, ...], name: str) -> tuple[Any, ...]:
    return (*key[:-1], name)


def _own_id(key: Any, data: Any, context: Any) -> str:
    package = context.get("package")
    if package is not None and package.type == "harvest":
        return str(package.id)
    package = model.Package.get(data.get(_sibling(key, "id")) or "")
    return str(package.id) if package else ""


def _other_sources(url: str, own_id: str) -> Iterator[Any]:
    """Yield sources with a URL that are not deleted: name, title, whether private, and options.

    Args:
        own_id: of a source to leave out.
    """
    package = model.Package
    query = (
        Session.query(
            HarvestSource.url, HarvestSource.config, package.name, package.title, package.private
        )
        .join(package, package.id == HarvestSource.id)
        .filter(package.state == "active", HarvestSource.id != own_id)
        .order_by(package.name)
    )
    wanted = comparable_url(url)
    return (row for row in query if comparable_url(row.url or "") == wanted)


def find_sources_by_url(url: str, own_id: str = "") -> list[dict[str, str]]:
    """Return name and title of public sources with a URL.

    Args:
        own_id: of a source to leave out.
    """
    return [
        {"name": row.name, "title": row.title or row.name}
        for row in _other_sources(url, own_id)
        if not row.private
    ]


def reserved_names() -> frozenset[str]:
    """Return the words that URLs of pages have in the place of a source's name, such as "new"."""
    if not has_app_context():
        return frozenset()
    paths = (rule.rule.split("/") for rule in current_app.url_map.iter_rules())
    below = (path[2] for path in paths if path[1:2] == ["harvest"] and path[2:])
    return frozenset(word for word in below if word and "<" not in word)


def allowed_name(name: str) -> str:
    """Return the name, with "-source" added if a page has it."""
    return f"{name}-source" if name in reserved_names() else name


def check_name(key: Any, data: Any, errors: Any, context: Any) -> None:
    """Refuse a name that CKAN refuses, or that a page has in its URL."""
    package_name_validator(key, data, errors, context)
    package, name = context.get("package"), data[key]
    is_old = package is not None and package.name == name
    if name in reserved_names() and not is_old:
        raise tk.Invalid(
            gettext(
                'Name: "{name}" is the name of a page; choose another, such as {example}',
                name=name,
                example=allowed_name(name),
            )
        )


def find_other_source(url: str, text: str | None, own_id: str) -> str:
    """Return a message if another source has the URL and the options, else "".

    A private one is not named: the user may not be allowed to see it.
    """
    wanted = comparable_config(text)
    for row in _other_sources(url, own_id):
        if comparable_config(row.config) == wanted:
            text = tk._("Another harvest source already has this URL and these options.")
            return str(text) if row.private else f"{text} ({row.title})"
    return ""


def find_secret_fault(url: str, type_name: str, text: str | None) -> str:
    """Return that the portal does not have a source's secret, or for another server; else "".

    Args:
        text: the source's options.
    """
    name = parse_options(text).get("credential")
    if not name or not source_types.find(type_name):
        return ""
    try:
        secret = config.read_credential(str(name))
    except ConfigError as exc:
        return exc.message
    if origin(url) == (secret.scheme, secret.host, secret.port):
        return ""
    return gettext(
        "credential: the secret {name} is for {place}, not for {url}",
        name=repr(name),
        place=f"{secret.scheme}://{secret.host}:{secret.port}",
        url=safe_url(url),
    )


def translate_type(_key: Any, data: Any, _errors: Any, context: Any) -> None:
    """Store our name of a type for the portal's own, which goes into the options.

    A source that is stored under the own name waits for its adoption.
    """
    name = source_types.own_type(str(data.get(("source_type",)) or ""))
    if not name or is_harvested(name):
        return
    source = HarvestSource.get(_own_id(("source_type",), data, context) or "-")
    if source and source.type == name:
        return
    data[("source_type",)] = config.type_name(source_types.aliases()[name])
    data[("config",)] = _with_own_type(data.get(("config",)), name)


def _with_own_type(text: str | None, name: str) -> str:
    """Return a configuration with an own name of its type, unless it has one or is no object."""
    options = read_config(text or "")
    if options is None or OWN_TYPE in options:
        return text or ""
    return json.dumps({OWN_TYPE: name, **options}, indent=2)


def check_config(key: Any, data: Any, errors: Any, context: Any) -> None:
    """Validate the options as ckanext-harvest does, and those that only a sysadmin may set."""
    kind = source_types.find(data.get(_sibling(key, "source_type")) or "")
    if kind:
        source = HarvestSource.get(_own_id(key, data, context) or "-")
        before = parse_options(source.config) if source else {}
        if OWN_TYPE in before:  # programs may leave it out
            data[key] = _with_own_type(data.get(key), before[OWN_TYPE])
        _keep_reserved(key, data, context, before, kind)
    try:
        stock.harvest_source_config_validator(key, data, errors, context)
    except tk.Invalid as exc:
        # The source type's message names the option, so the lead-in is not needed.
        lead_in = "Error parsing the configuration options: "
        raise tk.Invalid(str(exc.error).removeprefix(lead_in)) from exc
    if kind:
        _check_groups(parse_options(data.get(key)).get("default_groups"))


def _keep_reserved(
    key: Any, data: Any, context: Any, before: Mapping[str, Any], kind: source_types.SourceType
) -> None:
    """Refuse changes of reserved options, and keep the stored ones that are left out."""
    if is_trusted(context):
        return
    options = parse_options(data.get(key))
    stored, sent = (source_types.reserved_values(kind, values) for values in (before, options))
    for name in sorted(sent):
        if sent[name] != stored.get(name):
            raise tk.Invalid(
                tk._(
                    "{}: affects other organisations, so only a sysadmin can set it. Leave it "
                    "unchanged, or ask a sysadmin"
                ).format(name)
            )
    if left_out := {name: value for name, value in stored.items() if name not in sent}:
        data[key] = json.dumps({**options, **left_out}, indent=2)


def is_trusted(context: Mapping[str, Any]) -> bool:
    """Tell whether a sysadmin saves, or code without a user (``ignore_auth``)."""
    user = context.get("user")
    return authz.is_sysadmin(user) if user else bool(context.get("ignore_auth"))


def _check_groups(names: Any) -> None:
    names = names.replace(",", " ").split() if isinstance(names, str) else names or []
    for name in names:
        if not is_group(name):
            raise tk.Invalid(
                tk._("default_groups: there is no group {!r} on this portal").format(name)
            )


def is_group(name: str) -> bool:
    """Tell whether the portal has a group of this name or id."""
    group = model.Group.get(name)
    return group is not None and not group.is_organization and group.state == "active"


def adoption_hint(source_type: str, name: str) -> str:
    """Return a message with the command that adopts a source, "" if it needs no adoption.

    Args:
        source_type: type of the source; without a plugin for it the source does not run.
        name: name of the source.
    """
    kind = source_types.aliases().get(source_type)
    if kind is None or is_harvested(source_type):
        return ""
    return gettext(
        "No plugin harvests the type “{type}”, which is “{ours}” under another name. This source "
        "does not run until a sysadmin adopts it: ckan ukharvest adopt {name}",
        type=source_type,
        ours=kind.name,
        name=name,
    )


def is_harvested(source_type: str) -> bool:
    """Tell whether a plugin of this portal harvests a source type."""
    return any(
        plugin.info().get("name") == source_type for plugin in p.PluginImplementations(IHarvester)
    )


def needs_dry_run(source_id: str, url: str) -> bool:
    """Tell whether a source's datasets are looked for at a URL before it is saved.

    Not if it differs only in what ``comparable_url`` leaves out, if the source has no datasets
    that could get lost, or if its type is not ours.
    """
    source = HarvestSource.get(source_id)
    is_other = comparable_url(url) != comparable_url(source.url)
    return is_other and source.type in config.our_type_names() and has_datasets(source_id)
