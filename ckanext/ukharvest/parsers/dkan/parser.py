"""Datasets of DKAN sites: packages of DKAN 7, entries of DKAN 2's data.json.

DKAN 7 prints a package with its page templates: dates and sizes are formatted for people, empty
fields are left out, and ``private`` is the node's status, so that true means published. DKAN 2's
metastore holds Project Open Data 1.1, with references in place of some values if requested.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ckanext.ukharvest.core.errors import ParseError
from ckanext.ukharvest.core.fingerprint import canonical_json
from ckanext.ukharvest.core.records import DatasetRecord, RawRecord
from ckanext.ukharvest.core.values.text import clean_text
from ckanext.ukharvest.parsers import package_dict as package
from ckanext.ukharvest.parsers.ckan import parser as ckan
from ckanext.ukharvest.parsers.data_json import parser as datajson
from ckanext.ukharvest.parsers.dkan import package as dkan_package

VERSION = 3
FORM = "json"

OPTIONS = datajson.OPTIONS


def identifier(data: Mapping[str, Any]) -> str:
    """Return a dataset's identity as text, "" if it has none: the UUID in both versions of DKAN."""
    found = datajson.identifier(data) if _is_pod(data) else ""
    return found or clean_text(data.get("id")) or clean_text(data.get("uuid"))


def names(data: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names under which a package may be listed, without its identity."""
    paths = (clean_text(data.get(key)) for key in ("name", "path", "url"))
    found = (each for path in paths for each in (path, path.rpartition("/")[2]))
    own = identifier(data)
    keys = (*found, clean_text(data.get("nid")))
    return tuple(dict.fromkeys(each for each in keys if each not in ("", own)))


def old_guids(raw: RawRecord) -> tuple[str, ...]:
    """Return the guids stored by data.gov.uk's harvester: the values in ``package_list``."""
    try:
        data = package.load(raw)
    except ParseError:
        return ()
    return () if _is_pod(data) else names(data)


def parse(raw: RawRecord, options: Mapping[str, Any]) -> DatasetRecord:
    """Read one dataset of either DKAN version, detected from its content.

    Raises:
        ParseError: not a JSON object, or without title or identity.
        SkipRecord: an entry of DKAN 2 is not public, and the options exclude such entries.
    """
    data = package.load(raw)
    if _is_pod(data):
        plain = {key: _resolved(value) for key, value in data.items() if key[:1] != "%"}
        return datajson.parse(replace(raw, content=canonical_json(plain)), options)
    content = canonical_json(dkan_package.rewritten(package.flatten(data)))
    limit = {"max_resources": options.get("max_resources", 1000)}
    return ckan.parse(replace(raw, content=content), limit)


def _is_pod(data: Mapping[str, Any]) -> bool:
    """Tell whether an object is an entry of data.json, not a package."""
    if any(key in data for key in ("resources", "notes", "metadata_modified")):
        return False
    return any(key in data for key in ("identifier", "distribution", "accessLevel"))


def _resolved(value: Any) -> Any:
    """Return the data of a metastore reference: ``{"identifier": …, "data": …}``."""
    if isinstance(value, list):
        return [_resolved(item) for item in value]
    if not isinstance(value, Mapping) or value.keys() != {"identifier", "data"}:
        return value
    data = value["data"]
    if not isinstance(data, Mapping):
        return data
    plain = {key: item for key, item in data.items() if key[:1] != "%"}
    # A body's identifier is no URL; a distribution's is its own.
    own = {"identifier": value["identifier"]} if {"downloadURL", "accessURL"} & data.keys() else {}
    return {**own, **plain}


# DKAN 7: rewritten for CKAN's parser. DKAN 2: read like data.json.
MAPPING = (*dkan_package.MAPPING, *ckan.MAPPING)
