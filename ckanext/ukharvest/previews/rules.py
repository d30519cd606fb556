"""Checks before a test starts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from ckan import authz, model
from ckan.plugins import toolkit as tk
from ckanext.harvest.model import HarvestSource
from flask import has_request_context

from ckanext.ukharvest import config, source_types
from ckanext.ukharvest.core import encodings
from ckanext.ukharvest.core.errors import UkharvestError
from ckanext.ukharvest.core.http.urls import origin
from ckanext.ukharvest.core.options import parse_options
from ckanext.ukharvest.core.values.text import clean_text, shorten
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.core.xml import declaration
from ckanext.ukharvest.harvest.gather import previews as source_previews
from ckanext.ukharvest.harvest.sources import source_config
from ckanext.ukharvest.lib import actions as action_tools
from ckanext.ukharvest.lib import schema
from ckanext.ukharvest.lib.schema import invalid
from ckanext.ukharvest.lib.texts import duration, gettext
from ckanext.ukharvest.previews import schema as preview_schema
from ckanext.ukharvest.reading.budget import MIB
from ckanext.ukharvest.reading.type_detection import DATA
from ckanext.ukharvest.sources import rules as source_rules

MOST_A_MINUTE = 10
MOST_OF_SAVED = 3  # at the same time: each can occupy a background worker for ten minutes
MOST_UNDER_WAY = 20  # of all: each may have megabytes in the database
MOST_STORED = 1000  # of all users; as many of all visitors
LONGEST_NAME = 100  # characters of a file's name
CANNOT_BE_TESTED = _(
    "Sources of this type cannot be tested. Save the source and start a run instead."
)

_DECLARATION = 1000  # characters of a text in which its XML declaration ends

Errors = dict[Any, list[str]]


def validate(
    user: str, data_dict: Mapping[str, Any], source: HarvestSource | None = None
) -> dict[str, Any]:
    """Return the columns of a test, as ``source_previews.add`` takes them.

    Args:
        user: name of the user who starts it, "" for a visitor.
        data_dict: as sent to ``ukharvest_source_preview_create``.
        source: the saved source whose form or new URL is tested, None for a new one.

    Raises:
        ValidationError: with a message for each wrong parameter: saving would refuse it, or the
            user may not use its options.
    """
    data = schema.validate(data_dict, preview_schema.source_preview_create_schema())
    errors: Errors = {}
    content, name = _file(data_dict, data, "upload", "text", errors)
    schema_bytes, schema_file = _file(data_dict, data, "schema_upload", "schema_text", errors)
    has_schema = bool(data["schema_url"]) or schema_bytes is not None
    way = _way(data, content, name, errors)
    may_enter = source is not None or may_enter_network(user)
    source_type, config_text = data["source_type"], data["config"]
    kind = _check_type(source_type, source, errors, has_schema=has_schema)
    if not source_type and (source or config_text):
        errors["source_type"] = [tk._("Choose what you publish")]
    if data["schema_url"] and schema_bytes is not None:
        errors["schema_url"] = [_only_one("URL", "File")]
    guard = config.guard() if may_enter else config.public_guard()
    for field in ("url", "schema_url"):
        if data[field] and field not in errors:
            with _errors_at(field, errors):
                guard.check_url(data[field])
                # What is not added later may be a page of this portal.
                if field == "url" and may_enter and not has_schema:
                    source_rules.refuse(data[field], source_type)
    if kind and not errors and (source or config_text):
        with _errors_at("config", errors):
            config_text = _check_options(user, kind, data["url"], config_text, source)
    owner_org = _owner_org(data["owner_org"], source, errors) if content is None else ""
    if errors:
        raise tk.ValidationError(errors)
    # What the portal says of records can be about datasets that others may not see.
    is_tried = bool(owner_org or source) and content is None
    tried = {"owner_org": owner_org, "source_id": source and source.id} if is_tried else None
    pasted = str(tk._("Text"))
    return {
        "source_type": source_type or (DATA if has_schema else ""),
        "url": data["url"],
        "config": config_text,
        "given": {
            "way": way,
            "name": name or (pasted if way == "text" else ""),
            "schema": data["schema_url"] or (schema_file or pasted if has_schema else ""),
            "may_enter": may_enter,
            "is_open": not tried and may_be_shared(config_text, source),
            "tried": tried,
        },
        "content": content,
        "schema_content": schema_bytes,
    }


def _owner_org(name: str, source: HarvestSource | None, errors: Errors) -> str:
    """Return the id of a source's organisation; of a new one it is named, "" for none."""
    if source is not None:
        package = model.Package.get(source.id)
        return (package and package.owner_org) or ""
    group = model.Group.get(name) if name else None
    if name and not (group and group.is_organization and group.state == "active"):
        errors["owner_org"] = [tk._("There is no organisation of this name.")]
    return group.id if group else ""


def may_be_shared(config_text: str, source: HarvestSource | None = None) -> bool:
    """Tell whether everybody who has the link to a test may read what it shows.

    Not if a secret opened the source, or if the saved source is not public.
    """
    if parse_options(config_text).get("credential"):
        return False
    package = model.Package.get(source.id) if source else None
    return package is None or (package.state == "active" and not package.private)


@contextmanager
def _errors_at(field: str, errors: Errors) -> Iterator[None]:
    """Add an error that is raised to those of a field."""
    try:
        yield
    except tk.Invalid as exc:
        errors[field] = [str(exc.error)]
    except UkharvestError as exc:
        errors[field] = [exc.message]


def _check_options(
    user: str, kind: source_types.SourceType, url: str, text: str, source: HarvestSource | None
) -> str:
    """Return the options, checked as when saving and running.

    A test must not read with options that the user may not set. Everybody can see a saved source,
    but a test leaves no trace: it may use a secret only where the saved source does already.

    Raises:
        Invalid, UkharvestError: with the name of the option.
    """
    own_id = source.id if source else ""
    name = kind.own_type or config.type_name(kind)
    data: dict[Any, Any] = {("config",): text, ("source_type",): name, ("id",): own_id}
    source_rules.translate_type(("source_type",), data, {}, {"user": user})
    source_rules.check_config(("config",), data, {}, {"user": user})
    text = data["config",] or ""
    if message := source_rules.find_secret_fault(url, kind.name, text):
        raise tk.Invalid(message)
    if authz.is_sysadmin(user):
        return text
    values = source_config.read_options(kind, text)
    secret, is_used = values["credential"], False
    if source:
        source_config.check_privileged_options(kind, source.id, values)
        is_used = parse_options(source.config).get("credential") == secret
    if secret and not (is_used and source and origin(url) == origin(source.url)):
        raise tk.Invalid(
            tk._(
                "credential: only a sysadmin can test with a secret that the saved source does not"
                " use, or at another server"
            )
        )
    return text


def check_limits(user: str, *, of_saved: bool) -> None:
    """Refuse more tests than a person may start, and than may wait or be stored.

    Args:
        user: name of the user, "" for a visitor.
        of_saved: the test is of a saved source.
    """
    if of_saved and user in source_previews.dry_runs_under_way():
        raise invalid(
            "test",
            tk._(
                "Another test of yours of a saved source is in progress. Wait for it, or stop it."
            ),
        )
    for number, most, seconds in _limits(user, of_saved=of_saved):
        if number >= most:
            text = gettext("There are too many tests. Try again in {time}.", time=duration(seconds))
            raise invalid("test", text)


def _limits(user: str, *, of_saved: bool) -> Iterator[tuple[int, int, int]]:
    """Yield how many tests there are, how many there may be, and seconds after which to retry."""
    if user:
        yield source_previews.started_lately(user), MOST_A_MINUTE, 60
    else:
        address = tk.request.remote_addr if has_request_context() else None
        yield action_tools.count_check(address or ""), MOST_A_MINUTE, 60
    if of_saved:
        yield len(source_previews.dry_runs_under_way()), MOST_OF_SAVED, 10 * 60
        return
    yield source_previews.count_tests_under_way(), MOST_UNDER_WAY // (1 if user else 2), 5 * 60
    yield source_previews.count_tests(of_visitors=not user), MOST_STORED, 24 * 60 * 60


def may_enter_network(user: str) -> bool:
    """Tell whether the portal reads its own network for a user, where the ini allows it.

    For users who may add sources.
    """
    return bool(user) and bool(
        authz.is_sysadmin(user) or authz.has_user_permission_for_some_org(user, "create_dataset")
    )


def _file(
    data_dict: Mapping[str, Any], data: Mapping[str, str], file: str, text: str, errors: Errors
) -> tuple[bytes | None, str]:
    """Return the bytes of an uploaded file or of a text, and the file's name; None for neither."""
    upload: Any = data_dict.get(file)
    most = config.CHECK_MEGABYTES * MIB
    name = shorten(clean_text(getattr(upload, "filename", None)), LONGEST_NAME)
    content, field = encode_text(data[text]) if data[text].strip() else None, text
    if name and hasattr(upload, "stream"):
        if content is not None:
            errors[file] = [_only_one("Text", "File")]
        content, field = upload.stream.read(most + 1), file
        if not content:
            errors[file] = [tk._("The file is empty")]
    if content is not None and len(content) > most:
        errors[field] = [
            gettext(
                "This is larger than {n} MB, which is the most that can be checked here",
                n=config.CHECK_MEGABYTES,
            )
        ]
    return content, name


def _only_one(*labels: str) -> str:
    """Return that more than one of the fields with these labels is filled in."""
    return gettext("Give only one of these: {names}", names=", ".join(map(tk._, labels)))


def encode_text(text: str) -> bytes:
    """Return the bytes of a pasted text, in the encoding that its XML declaration names."""
    name = declaration.declared_encoding(text[:_DECLARATION].encode("utf-8", "replace"))
    return text.encode(encodings.find_codec(name) or "utf-8", "xmlcharrefreplace")


def _way(data: Mapping[str, str], content: bytes | None, name: str, errors: Errors) -> str:
    """Return how the document is given: "url", "text" or "upload"."""
    if data["url"] and content is not None:
        errors["url"] = [_only_one("URL", "Text", "File")]
    elif not data["url"] and content is None and not errors:
        errors["url"] = [tk._("Enter a URL, paste a text or choose a file")]
    return "url" if content is None else "upload" if name else "text"


def _check_type(
    name: str, source: HarvestSource | None, errors: Errors, *, has_schema: bool
) -> source_types.SourceType | None:
    """Return the source type of this name, None for data or if none is given."""
    kind = source_types.find(name) if name else None
    is_harvested = kind is not None and config.type_name(kind) in config.our_type_names()
    if has_schema and name not in ("", DATA):
        errors["source_type"] = [
            tk._("A schema is only for data. Choose “Data with a schema”, or remove the schema.")
        ]
    elif name and name != DATA and (kind is None or (source and not is_harvested)):
        errors["source_type"] = [tk._(CANNOT_BE_TESTED)]
    return kind
