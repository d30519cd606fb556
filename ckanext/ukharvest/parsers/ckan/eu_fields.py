"""Fields of data.europa.eu's extended CKAN schema, under the names that the parser reads.

Source: its guide for suppliers, "Metadata model". Objects with ``label`` and ``resource`` stand for
values of a vocabulary, and most fields may be lists of them. Extras are named as in ckanext-dcat,
JSON lists included. A field that also has the name that the parser reads keeps that value; a text
where the guide has an object or a list is another site's field, and stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ckanext.ukharvest.core.fingerprint import canonical_json
from ckanext.ukharvest.core.records import Agent
from ckanext.ukharvest.core.values import parties
from ckanext.ukharvest.core.values.dates import parse_date
from ckanext.ukharvest.core.values.file_facts import read_checksums
from ckanext.ukharvest.core.values.languages import read_languages
from ckanext.ukharvest.core.values.periods import read_periods
from ckanext.ukharvest.core.values.text import clean_text
from ckanext.ukharvest.core.vocabularies import vocabulary
from ckanext.ukharvest.core.vocabularies.vocabulary import Vocabulary
from ckanext.ukharvest.parsers import package_dict as package

Found = dict[str, Any]

_THEMES = ("theme-primary", "theme-secondary", "themes")


def translate(flat: Mapping[str, Any]) -> dict[str, Any]:
    """Return a package's fields with those of data.europa.eu's schema translated."""
    found = _translated(flat, _DATASET, _DATES)
    if all(package.is_blank(flat.get(key)) for key in _THEMES):
        found |= {"themes": themes} if (themes := _themes(flat.get("groups"))) else {}
    found |= {key: each for key, each in _others(flat).items() if package.is_blank(found.get(key))}
    resources = flat.get("resources")
    if isinstance(resources, list):
        found["resources"] = [
            _resource(each) if isinstance(each, Mapping) else each for each in resources
        ]
    return found


def _resource(flat: Mapping[str, Any]) -> dict[str, Any]:
    found = _translated(flat, _RESOURCE, _FILE_DATES)
    downloads = flat.get("download_url")
    if isinstance(downloads, list) and (urls := _texts(downloads, "resource")):
        # As in DCAT: url may be a page about the file, and a resource is the file.
        found["access_url"] = clean_text(flat.get("url"))
        found |= {"url": urls[0], "download_url": ", ".join(urls)}
    return found


def _translated(
    flat: Mapping[str, Any], fields: Mapping[str, Callable[[Any], Found]], dates: Mapping[str, str]
) -> dict[str, Any]:
    found = dict(flat)
    for key, read in fields.items():
        value = flat.get(key)
        if not isinstance(value, (list, Mapping)):  # a text is another site's field
            continue
        new = {name: each for name, each in read(value).items() if each}
        if new:
            del found[key]
        for name, each in new.items():
            if package.is_blank(found.get(name)):
                found[name] = each
    for key, name in dates.items():
        text = flat.get(key)
        if isinstance(text, str) and package.is_blank(found.get(name)) and _is_date(text):
            found[name] = text
    return found


def _is_date(text: str) -> bool:
    try:
        return bool(parse_date(text))
    except ValueError:
        return False


def _objects(value: Any) -> Iterator[Mapping[str, Any]]:
    items = value if isinstance(value, list) else [value]
    return (each for each in items if isinstance(each, Mapping))


def _texts(value: Any, *keys: str) -> list[str]:
    """Return the texts of a list of texts or objects: of each object its first filled member."""
    items = value if isinstance(value, list) else [value]
    found = [
        next(filter(None, (clean_text(each.get(key)) for key in keys)), "")
        if isinstance(each, Mapping)
        else clean_text(each)
        for each in items
    ]
    return list(dict.fromkeys(filter(None, found)))


def _agent(value: Any, name: str, email: str, url: str = "") -> Found:
    for agent in _agents(value):
        return {name: agent.name, email: agent.email, **({url: agent.url} if url else {})}
    return {}


def _agents(value: Any) -> Iterator[Agent]:
    for each in _objects(value):
        address = next(iter(_texts([each], "resource", "homepage", "uri", "url")), "")
        email = clean_text(each.get("email")).removeprefix("mailto:")
        yield Agent(clean_text(each.get("name")), email, address)


# Fields with people and bodies → their role.
_ROLES = {
    "contact_point": parties.CONTACT,
    "contact": parties.CONTACT,
    "publisher": parties.PUBLISHER,
    "creator": parties.AUTHOR,
}


def _others(flat: Mapping[str, Any]) -> Found:
    """Return the extra for all agents but the first in each role."""
    found = []
    for key, role in _ROLES.items():
        if isinstance(flat.get(key), (list, Mapping)):
            found += parties.with_role(list(_agents(flat[key]))[1:], role)
    return dict(parties.other_parties(found))


def _frequency(value: Any) -> Found:
    return {"update_frequency": next(iter(_texts(value, "resource", "label")), "")}


def _languages(value: Any) -> Found:
    return {"language": _texts(value, "resource", "label")}


def _file_languages(value: Any) -> Found:
    tags = read_languages(_texts(value, "resource", "label"), lambda *_: None)
    return {"language": ", ".join(tags)}


def _place(value: Any) -> Found:
    objects = list(_objects(value))
    return {
        "spatial-text": "; ".join(_texts(objects, "label")),
        "spatial_uri": " ".join(_texts([{"at": o.get("resource")} for o in objects], "at")),
    }


def _period(value: Any) -> Found:
    pairs = [
        (clean_text(each.get("start_date")), clean_text(each.get("end_date")))
        for each in _objects(value)
    ]
    start, end = next(iter(pairs), ("", ""))
    periods = read_periods(pairs, lambda *_: None)
    if len(pairs) > 1 and periods.whole and not periods.unread:
        start, end = periods.whole.start, periods.whole.end
    return {"temporal_coverage-from": start, "temporal_coverage-to": end}


def _one(name: str) -> Callable[[Any], Found]:
    """Read one text; several are joined."""
    return lambda value: {name: ", ".join(_texts(value, "label", "resource", "value", "name"))}


def _many(name: str) -> Callable[[Any], Found]:
    """Read a list, stored as JSON."""

    def read(value: Any) -> Found:
        texts = _texts(value, "resource", "label", "value", "name")
        return {name: canonical_json(texts) if texts else ""}

    return read


def _standards(value: Any) -> Found:
    return {"conforms_to": _texts(value, "resource", "label")}


def _checksum(value: Any) -> Found:
    names = ("checksum_value", "checksumValue", "value")
    return dict(
        read_checksums(
            (
                next(iter(_texts([item], *names)), ""),
                next(iter(_texts(item.get("algorithm"), "resource", "label")), ""),
            )
            for item in _objects(value)
        )
    )


def _licence(value: Any) -> Found:
    for each in _objects(value):
        return {
            "license": next(iter(_texts([each], "label", "resource")), ""),
            "license_url": clean_text(each.get("resource")),
        }
    return {}


def _themes(groups: Any) -> list[str]:
    """Return the EU's themes that groups are named after."""
    found = (
        next(filter(None, (_by_name().get(_squash(each.get(key))) for key in _NAMES)), "")
        for each in _objects(groups)
    )
    return list(dict.fromkeys(filter(None, found)))


_NAMES = ("name", "title", "display_name", "id")


def _squash(value: Any) -> str:
    return "".join(filter(str.isalnum, clean_text(value).casefold()))


@vocabulary.derived("eu_themes")
def _by_name(read: Vocabulary) -> Mapping[str, str]:
    """Return labels and codes without case, spaces and punctuation → the theme's URI."""
    return {
        _squash(name): row["uri"]
        for row in read.rows
        for name in (row["label"], row["uri"].rpartition("/")[2])
    }


_DATES = {"issued": "data_issued", "modified": "data_modified"}
_FILE_DATES = {"issued": "created", "modified": "last_modified"}

_DATASET: Mapping[str, Callable[[Any], Found]] = {
    "contact_point": lambda value: _agent(value, "contact-name", "contact-email"),
    "contact": lambda value: _agent(value, "contact-name", "contact-email"),
    "publisher": lambda value: _agent(
        value, "dcat_publisher_name", "dcat_publisher_email", "dcat_publisher_uri"
    ),
    "creator": lambda value: _agent(value, "author", "author_email"),
    "accrual_periodicity": _frequency,
    "accrucal_periodicity": _frequency,  # as the guide writes it
    "language": _languages,
    "dcat_spatial": _place,
    "temporal": _period,
    "conforms_to": _standards,
    "identifier": _one("identifier"),
    "alternate_identifier": _many("alternate_identifier"),
    "other_identifier": _many("alternate_identifier"),
    "version_info": _one("version"),
    "version_notes": _one("version_notes"),
    "provenance": _one("provenance"),
    "access_rights": _one("access_rights"),
    "dct_type": _one("dcat_type"),
    "source": _many("source"),
    "has_version": _many("has_version"),
    "is_version_of": _many("is_version_of"),
    "relation": _many("related_resource"),
    "page": _many("documentation"),
    "sample": _many("sample"),
}
_RESOURCE: Mapping[str, Callable[[Any], Found]] = {
    "checksum": _checksum,
    "license": _licence,
    "language": _file_languages,
    "conforms_to": _standards,
    "status": _one("status"),
    "rights": _one("rights"),
    "page": _many("documentation"),
}
