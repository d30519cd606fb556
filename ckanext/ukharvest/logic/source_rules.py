"""Rules for name, address and options of a harvest source, applied when it is saved.

ckanext-harvest takes any address (/etc/passwd, http://169.254.169.254/), and finds two sources
alike whose addresses differ in the query only, or of which one is deleted (issue 449). Its
validators stand in a schema that no plugin interface reaches, so their names there are replaced;
its own checks of the options stay.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

import ckan.plugins.toolkit as tk
from ckan import authz, model
from ckan.logic.validators import package_name_validator
from ckanext.harvest import plugin as harvest_plugin
from ckanext.harvest.logic import validators as stock
from ckanext.harvest.model import HarvestSource
from flask import current_app, has_app_context

from ckanext.ukharvest import config, types
from ckanext.ukharvest.core.address import normal, origin, shown
from ckanext.ukharvest.core.errors import Blocked, ConfigError
from ckanext.ukharvest.model import confirmed

Session = model.Session


def comparable_url(url: str) -> str:
    """Return what is equal for two addresses of one document; the query counts.

    Any text is accepted: sources from before these rules may have anything as address.
    """
    try:
        parts = urlsplit(normal(url))
    except (Blocked, ValueError):
        return url.strip().rstrip("/")
    standard = {"http": ":80", "https": ":443"}[parts.scheme]
    query = f"?{parts.query}" if parts.query else ""
    return f"{parts.scheme}://{parts.netloc.removesuffix(standard)}{parts.path.rstrip('/')}{query}"


def comparable_config(text: str | None) -> str:
    """Return what is equal for two configurations that say the same."""
    try:
        found = json.loads(text or "{}")
    except ValueError:
        return str(text)
    return json.dumps(found, sort_keys=True) if found else ""


def check_url(key: Any, data: Any, errors: Any, context: Any) -> None:
    """Refuse an address that could not be read, or that another active source has already."""
    url = data[key].strip()
    try:
        config.guard().check_url(url)
    except Blocked as exc:
        raise tk.Invalid(exc.message) from exc
    data[key] = url
    other = _other_source(url, data.get(_sibling(key, "config")), _own_id(key, data, context))
    if other:
        raise tk.Invalid(other)
    if not errors.get(_sibling(key, "config")):
        check_credential(key, url, data, errors)


def _sibling(key: tuple[Any, ...], name: str) -> tuple[Any, ...]:
    return (*key[:-1], name)


def _own_id(key: Any, data: Any, context: Any) -> str:
    package = context.get("package")
    if package is not None and package.type == "harvest":
        return str(package.id)
    package = model.Package.get(data.get(_sibling(key, "id")) or "")
    return str(package.id) if package else ""


def same_address(url: str, own_id: str = "") -> list[dict[str, str]]:
    """Return ``name`` and ``title`` of the active sources of an address, whatever their options.

    Args:
        own_id: of a source that is left out.
    """
    query = (
        Session.query(HarvestSource.url, model.Package.name, model.Package.title)
        .join(model.Package, model.Package.id == HarvestSource.id)
        .filter(model.Package.state == "active", model.Package.private.is_(False))
        .filter(HarvestSource.id != own_id)
        .order_by(model.Package.name)
    )
    wanted = comparable_url(url)
    return [
        {"name": name, "title": title or name}
        for other, name, title in query
        if comparable_url(other or "") == wanted
    ]


def reserved_names() -> frozenset[str]:
    """Return the words that stand in addresses where a source's name does, such as "new"."""
    if not has_app_context():
        return frozenset()
    paths = (rule.rule.split("/") for rule in current_app.url_map.iter_rules())
    below = (path[2] for path in paths if path[1:2] == ["harvest"] and path[2:])
    return frozenset(word for word in below if word and "<" not in word)


def allowed_name(name: str) -> str:
    """Return a name that no page has, made of one that may be."""
    return f"{name}-source" if name in reserved_names() else name


def check_name(key: Any, data: Any, errors: Any, context: Any) -> None:
    """Refuse a name that CKAN refuses, or whose pages would be other pages."""
    package_name_validator(key, data, errors, context)
    package, name = context.get("package"), data[key]
    is_old = package is not None and package.name == name
    if name in reserved_names() and not is_old:
        raise tk.Invalid(
            tk._('Name: "{name}" is the name of a page; choose another, such as {example}').format(
                name=name, example=allowed_name(name)
            )
        )


def _other_source(url: str, text: str | None, own_id: str) -> str:
    """Say that another source has the address and the options; "" where none has.

    A private one is not named: who saves this one may not know of it.
    """
    package = model.Package
    query = (
        Session.query(HarvestSource.url, HarvestSource.config, package.title, package.private)
        .join(package, package.id == HarvestSource.id)
        .filter(package.state == "active", HarvestSource.id != own_id)
    )
    wanted = (comparable_url(url), comparable_config(text))
    for other_url, other_config, title, is_private in query:
        if (comparable_url(other_url or ""), comparable_config(other_config)) == wanted:
            return _taken(None if is_private else title)
    return ""


def _taken(title: str | None) -> str:
    if title is None:
        text = tk._("Another harvest source has this address and these options already.")
    else:
        text = tk._(
            "The harvest source “{title}” has this address and these options already; change that "
            "source, or one of the options."
        )
    return str(text.format(title=title))


def options_in(text: str | None) -> dict[str, Any]:
    """Return the options as given, {} where they cannot be read: their own check says so."""
    try:
        found = json.loads(text or "{}")
    except (ValueError, TypeError):
        return {}
    return found if isinstance(found, dict) else {}


def check_credential(key: Any, url: str, data: Any, errors: Any) -> None:
    """Refuse a secret that the portal does not have, or that is another server's."""
    name = options_in(data.get(_sibling(key, "config"))).get("credential")
    if not name or not types.find(data.get(_sibling(key, "source_type")) or ""):
        return
    message = ""
    try:
        secret = config.read_credential(str(name))
    except ConfigError as exc:
        message = exc.message
    else:
        if origin(url) != (secret.scheme, secret.host, secret.port):
            message = tk._("credential: the secret {name} is for {place}, not for {url}").format(
                name=repr(name),
                place=f"{secret.scheme}://{secret.host}:{secret.port}",
                url=shown(url),
            )
    if message:
        errors[_sibling(key, "config")] = [message]


def check_config(key: Any, data: Any, errors: Any, context: Any) -> None:
    """Check the options as ckanext-harvest does, then those that only a sysadmin may set."""
    kind = types.find(data.get(_sibling(key, "source_type")) or "")
    reserved = types.reserved_options(kind) if kind else frozenset()
    if reserved:
        _keep_reserved(key, data, context, reserved)
    try:
        stock.harvest_source_config_validator(key, data, errors, context)
    except tk.Invalid as exc:
        # The message of the type is a sentence that names the option; the lead-in hides it.
        lead_in = "Error parsing the configuration options: "
        raise tk.Invalid(str(exc.error).removeprefix(lead_in)) from exc
    if kind:
        _check_groups(options_in(data.get(key)).get("default_groups"))


def _keep_reserved(key: Any, data: Any, context: Any, reserved: frozenset[str]) -> None:
    if _is_trusted(context):
        return
    given = options_in(data.get(key))
    source = HarvestSource.get(_own_id(key, data, context) or "-")
    before = options_in(source.config) if source else {}
    kept = {name: before[name] for name in reserved if name in before}
    for name in sorted(reserved & given.keys()):
        if given[name] != kept.get(name):
            raise tk.Invalid(
                tk._(
                    "{}: reaches outside the source's organisation, so only a sysadmin can set "
                    "it; leave it as it is or ask a sysadmin"
                ).format(name)
            )
    if kept.keys() - given.keys():
        data[key] = json.dumps({**given, **kept}, indent=2)


def _is_trusted(context: Mapping[str, Any]) -> bool:
    """Tell whether a sysadmin saves, or code that acts for nobody in particular."""
    user = context.get("user")
    return authz.is_sysadmin(user) if user else bool(context.get("ignore_auth"))


def _check_groups(names: Any) -> None:
    names = names.replace(",", " ").split() if isinstance(names, str) else names or []
    for name in names:
        group = model.Group.get(name)
        if group is None or group.is_organization or group.state != "active":
            raise tk.Invalid(
                tk._("default_groups: there is no group {!r} on this portal").format(name)
            )


def _remembering(original: Callable[..., Any]) -> Callable[..., Any]:
    """Note, with the source, the reserved options as a sysadmin saved them."""

    def save(context: Any, data_dict: dict[str, Any]) -> Any:
        source = original(context, data_dict)
        kind = types.find(source.type or "")
        if kind and _is_trusted(context):
            given = options_in(source.config)
            reserved = types.reserved_options(kind)
            Session.flush()
            confirmed.remember(source.id, {n: given[n] for n in reserved if n in given})
        return source

    return save


def _drops_the_query() -> bool:
    first, second = "http://trial.example/csw?map=1", "http://trial.example/csw?map=2"
    return bool(stock._normalize_url(first) == stock._normalize_url(second))


def _schema() -> Any:
    # Its import asks CKAN for validators, and CKAN then remembers those of the plugins so far.
    from ckanext.harvest.logic import schema

    return schema


def _patch_url() -> None:
    _schema().harvest_source_url_validator = check_url


def _checks_options_alone() -> bool:
    return _schema().harvest_source_config_validator is stock.harvest_source_config_validator


def _patch_config() -> None:
    _schema().harvest_source_config_validator = check_config
    for name in ("_create_harvest_source_object", "_update_harvest_source_object"):
        setattr(harvest_plugin, name, _remembering(getattr(harvest_plugin, name)))


def _takes_any_name() -> bool:
    return _schema().package_name_validator is package_name_validator


def _patch_name() -> None:
    _schema().package_name_validator = check_name


PATCHES = (
    ("source-url (ckanext-harvest#449)", _drops_the_query, _patch_url),
    ("source-options (no look at who saves them)", _checks_options_alone, _patch_config),
    ("source-name (names of pages)", _takes_any_name, _patch_name),
)
