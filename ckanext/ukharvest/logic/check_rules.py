"""Checks before a check of /harvest/check starts: what it was given, and how many there may be."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import ckan.plugins.toolkit as tk
from ckan import authz
from flask import has_request_context

from ckanext.ukharvest import config, source_types
from ckanext.ukharvest.core.errors import Blocked
from ckanext.ukharvest.core.values.text import clean_text, shorten
from ckanext.ukharvest.logic import schema, visitor_limit
from ckanext.ukharvest.logic.schema import invalid
from ckanext.ukharvest.logic.source_preview_rules import MOST_A_MINUTE
from ckanext.ukharvest.model import source_previews
from ckanext.ukharvest.presentation.messages.source_previews import text_name
from ckanext.ukharvest.reading.budget import MIB
from ckanext.ukharvest.reading.type_detection import DATA
from ckanext.ukharvest.texts import gettext

MOST_UNDER_WAY = 20  # of all: each may have megabytes in the database
MOST_STORED = 1000  # of all users; as many of all visitors

LONGEST_NAME = 100  # characters of a file's name

Errors = dict[str, list[str]]
WAYS = ("url", "text", "upload")
_ENCODING = re.compile(r"\s*<\?xml\b[^>]*\bencoding\s*=\s*[\"']([\w.-]+)")


def validate_input(user: str, data_dict: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of a check, as ``source_previews.add`` takes them.

    Args:
        user: name of the user who asks, "" for a visitor.
        data_dict: as sent to ``ukharvest_check_create``.

    Raises:
        ValidationError: with a message for each wrong parameter.
    """
    data = schema.validate(data_dict, schema.check_create_schema())
    errors: Errors = {}
    content, name = _file(data_dict, data, "upload", "text", errors)
    schema_bytes, schema_file = _file(data_dict, data, "schema_upload", "schema_text", errors)
    way = _way(data, content, name, errors)
    if data["schema_url"] and schema_bytes is not None:
        errors["schema_url"] = [tk._("Give the URL of the schema or its file, not both")]
    has_schema = bool(data["schema_url"]) or schema_bytes is not None
    may_enter = may_enter_network(user)
    _check_type(data["source_type"], has_schema, errors)
    guard = config.guard() if may_enter else config.public_guard()
    for field in ("url", "schema_url"):
        try:
            if data[field] and field not in errors:
                guard.check_url(data[field])
        except Blocked as exc:
            errors[field] = [exc.message]
    if errors:
        raise tk.ValidationError(errors)
    return {
        "source_type": data["source_type"] or (DATA if has_schema else ""),
        "url": data["url"],
        "given": {
            "way": way,
            "name": name or (text_name() if way == "text" else ""),
            "schema": data["schema_url"] or (schema_file or text_name() if has_schema else ""),
            "may_enter": may_enter,
        },
        "content": content,
        "schema_content": schema_bytes,
    }


def may_enter_network(user: str) -> bool:
    """Tell whether the portal reads its own network for a user, where the ini allows it.

    As for tests of sources: users who may add sources.
    """
    return bool(user) and bool(authz.has_user_permission_for_some_org(user, "create_dataset"))


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
            errors[file] = [tk._("Give a text or a file, not both")]
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


def encode_text(text: str) -> bytes:
    """Return the bytes of a pasted text, in the encoding that its XML declaration names."""
    declared = _ENCODING.match(text)
    with suppress(LookupError, UnicodeError):
        return text.encode(declared[1] if declared else "utf-8", "xmlcharrefreplace")
    return text.encode()


def _way(data: Mapping[str, str], content: bytes | None, name: str, errors: Errors) -> str:
    """Return which of ``WAYS`` was used."""
    if data["url"] and content is not None:
        errors["url"] = [tk._("Give a URL, a text or a file: only one of them")]
    elif not data["url"] and content is None and not errors:
        errors["url"] = [tk._("Enter a URL, paste a text or choose a file")]
    return "url" if content is None else "upload" if name else "text"


def _check_type(name: str, has_schema: bool, errors: Errors) -> None:
    if has_schema and name not in ("", DATA):
        errors["source_type"] = [tk._("A schema is for data. Choose data, or remove the schema.")]
    elif name and name != DATA and source_types.find(name) is None:
        errors["source_type"] = [tk._("There is no source type of this name")]


def check_limits(user: str) -> None:
    """Refuse more checks than a person may start, or than may wait or be stored.

    Raises:
        ValidationError: with what to do.
    """
    address = tk.request.remote_addr if has_request_context() else None
    has_started_enough = (
        source_previews.started_lately(user) >= MOST_A_MINUTE
        if user
        else not visitor_limit.may_start_check(address or "", MOST_A_MINUTE)
    )
    if has_started_enough:
        raise invalid(
            "check",
            gettext(
                "You have started {n} checks in the last minute. Wait a minute.", n=MOST_A_MINUTE
            ),
        )
    most = MOST_UNDER_WAY if user else MOST_UNDER_WAY // 2
    if source_previews.count_checks_under_way() >= most:
        raise invalid("check", tk._("Too many checks are waiting. Try again in a few minutes."))
    if source_previews.count_checks(of_visitors=not user) >= MOST_STORED:
        raise invalid("check", tk._("There were too many checks today. Try again tomorrow."))
