"""Secrets in a source's URL and options: only users who may update the source read them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ckanext.ukharvest.core.http.urls import hide_secrets, is_secret_name, without_secrets
from ckanext.ukharvest.core.options import parse_options
from ckanext.ukharvest.lib.lookups import TYPE
from ckanext.ukharvest.lib.permissions import is_insider

HIDDEN = "…"
_DOCUMENTS = ("data_dict", "validated_data_dict")  # the package dict as JSON in the search index
_CONFIGS = ("config", "extras_config")


def source_url(context: Any, source_id: str, url: str) -> str:
    """Return a URL of a source or one of its records, without secrets unless the user edits it."""
    shown = without_secrets(url)
    return url if shown == url or is_insider(context, source_id) else shown


def url_of_listed(url: str, *, may_manage: bool) -> str:
    """Return the URL of a source in a list, without secrets unless the user may manage it."""
    return url if may_manage else without_secrets(url)


def hide_in_source(context: Any, source: dict[str, Any]) -> None:
    """Hide secrets in a source's dict, in place, unless the user may update the source.

    Args:
        source: ``package_show`` or ``harvest_source_list`` of a harvest source.
    """
    hidden = _without_secrets(source)
    if hidden != source and not is_insider(context, source["id"]):
        source.update(hidden)


def hide_in_results(context: Any, results: list[dict[str, Any]]) -> None:
    """Hide secrets in the sources among the results of ``package_search``, in place.

    With ``fl`` a result has the fields of the index that were asked for, the package dict as JSON
    among them. On CKAN 2.11 that of a source has another one inside.
    """
    for result in results:
        if result.get("type") == TYPE and "id" in result:
            hide_in_source(context, result)
        for key in _DOCUMENTS:
            package = json.loads(result[key]) if TYPE in str(result.get(key)) else {}
            if package.get("type") == TYPE:
                hide_in_results(context, [package])
                result[key] = json.dumps(package)


def without_secrets_in_index(document: dict[str, Any]) -> dict[str, Any]:
    """Return a document of the search index with nothing to search or count a secret by.

    The package dict in it stays whole: CKAN shows and saves datasets from it.
    """
    if document.get("dataset_type") != TYPE:
        return document
    shown = {key: value for key, value in document.items() if key not in _DOCUMENTS}
    return {**document, **_without_secrets(shown)}


def _without_secrets(source: Mapping[str, Any]) -> dict[str, Any]:
    """Return the source's dict with secrets hidden in its URL and options.

    ckanext-harvest adds each option to the dict, beside the text that has them all.
    """
    hidden = dict(source)
    if url := source.get("url"):
        hidden["url"] = without_secrets(str(url))
    for key in _CONFIGS:
        if source.get(key):
            hidden[key] = _without_secret_options(source[key])
    names = parse_options(source.get("config")) if isinstance(source.get("config"), str) else {}
    hidden |= _hide({name: source[name] for name in names if name in source})
    extras = source.get("extras")
    if isinstance(extras, list):
        hidden["extras"] = [
            {**extra, "value": _without_secret_options(extra["value"])}
            if extra.get("key") in _CONFIGS
            else extra
            for extra in extras
        ]
    return hidden


def _without_secret_options(config: Any) -> Any:
    """Return options as they came, as JSON or as a dict, with secrets hidden."""
    if not isinstance(config, str):
        return _hide(config)
    try:
        options = json.loads(config)
    except ValueError:
        return hide_secrets(config)
    hidden = _hide(options)
    return config if hidden == options else json.dumps(hidden, indent=2, ensure_ascii=False)


def _hide(value: Any) -> Any:
    if isinstance(value, str):
        return hide_secrets(value)
    if isinstance(value, list):
        return [_hide(item) for item in value]
    if isinstance(value, dict):
        return {
            name: HIDDEN if item and is_secret_name(name) else _hide(item)
            for name, item in value.items()
        }
    return value
