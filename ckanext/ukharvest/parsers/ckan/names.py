"""Translation of a remote site's field names and values into ours, by a table in the source.

``{"remote name": "our name"}`` renames a field; ``{"remote name": null}`` drops it; an object sets
more: ``{"to": "update_frequency", "values": {"yearly": "annual"}, "default": "never"}``. Names are
those of a dataset's fields or extras, or of a resource's fields with the prefix ``resources.``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from ckanext.ukharvest.core.fingerprint import canonical_json
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.records import Agent
from ckanext.ukharvest.core.values import parties
from ckanext.ukharvest.core.values.dates import parse_date
from ckanext.ukharvest.core.values.file_facts import read_checksums
from ckanext.ukharvest.core.values.languages import read_languages
from ckanext.ukharvest.core.values.periods import EXTENTS, read_periods
from ckanext.ukharvest.core.values.text import clean_text, shorten
from ckanext.ukharvest.core.vocabularies import vocabulary
from ckanext.ukharvest.core.vocabularies.vocabulary import Vocabulary
from ckanext.ukharvest.parsers.package_dict import is_blank
from ckanext.ukharvest.parsers.reporting import ignore, parse_value
from ckanext.ukharvest.parsers.uk_fields import PREFIX

RESOURCES = "resources."

# Adoption and the matching of a dataset with its earlier version depend on these.
_FIXED = frozenset(("id", "extras", "resources", "organization", "owner_org", "groups", "state"))

# Names that UK publishers, ckanext-dcat and ckanext-spatial use for our fields; case, blanks,
# "-" and "_" make no difference.
BUILT_IN: Mapping[str, str] = {
    **{
        name: name
        for name in ("la_function", "la_service", "schema", "codelist", "mandate", "unpublished")
        + ("update_frequency", "theme-primary", "theme-secondary")
    },
    "la_functions": "la_function",
    "lga_function": "la_function",
    "lga_functions": "la_function",
    "local_authority_function": "la_function",
    "Function type URI": "la_function",
    "la_services": "la_service",
    "lga_service": "la_service",
    "lga_services": "la_service",
    "local_authority_service": "la_service",
    "Service type URI": "la_service",
    "schemas": "schema",
    "schema_multi": "schema",
    "schema-vocabulary": "schema",
    "codelists": "codelist",
    "codelist_multi": "codelist",
    "mandates": "mandate",
    "frequency-of-update": "update_frequency",
    "frequency": "update_frequency",
    "accrual_periodicity": "update_frequency",
    "issued": "data_issued",
    "dcat_issued": "data_issued",
    "modified": "data_modified",
    "dcat_modified": "data_modified",
    "temporal_start": "temporal_coverage-from",
    "temporal_end": "temporal_coverage-to",
    "temporal_coverage_from": "temporal_coverage-from",
    "temporal_coverage_to": "temporal_coverage-to",
    "contact_name": "contact-name",
    "contact_email": "contact-email",
    "contact_phone": "contact-phone",
    "publisher_name": "dcat_publisher_name",
    "publisher_email": "dcat_publisher_email",
    "publisher_uri": "dcat_publisher_uri",
    "spatial_text": "spatial-text",
    "theme": "themes",
    "dcat_subject": "themes",
}
OF_RESOURCES: Mapping[str, str] = {"schema_url": "schema_url", "schema_type": "schema_type"}

# Fields written by our own import: the remote site's are kept under other names.
_OWN = ("guid", "harvest_source_reference", "metadata-date")


@dataclass(frozen=True, slots=True)
class Rule:
    """Translation of one remote field.

    Attributes:
        target: our name; "" drops it.
        values: remote value → our value; other values are kept.
        default: the value where the remote site has none.
    """

    target: str
    values: Mapping[str, Any] = field(default_factory=dict)
    default: Any = None

    def translate(self, value: Any) -> Any:
        """Return the value in our terms; of a list, each item."""
        if is_blank(value):
            return self.default
        if isinstance(value, list):
            return [self._one(item) for item in value]
        return self._one(value)

    def _one(self, value: Any) -> Any:
        text = clean_text(value.get("name") if isinstance(value, Mapping) else value)
        for known in (text, text.casefold()):
            if known in self.values:
                return self.values[known]
        return value


def wrong(table: Mapping[str, Any]) -> str:
    """Return what is wrong with a table, for ``Option.check``; "" if nothing."""
    for name, entry in table.items():
        shown = shorten(str(name), 40)
        if entry is None or entry is False:
            continue
        rule = {"to": entry} if isinstance(entry, str) else entry
        if not isinstance(rule, Mapping) or set(rule) - {"to", "values", "default", "drop"}:
            return Message(
                "'{shown}' has {entry}; expected our field's name, null to drop it, or an"
                " object with to, values, default, drop",
                shown=shown,
                entry=shorten(repr(entry), 40),
            )
        target = rule.get("to", name)
        if not isinstance(target, str) or not target.strip() or target in _FIXED:
            return Message(
                "'{shown}' goes to {target}, which is not a field that can be filled",
                shown=shown,
                target=shorten(repr(target), 40),
            )
        if not isinstance(rule.get("values", {}), Mapping):
            return Message(
                "'{shown}': values is not an object; expected each remote value and ours",
                shown=shown,
            )
    return ""


def translate(flat: Mapping[str, Any], table: Mapping[str, Any]) -> dict[str, Any]:
    """Return a flat package dict with our names.

    The source's table overrides the built-in one, which never replaces a value that the remote
    site has under our name; the field then keeps its own name.
    """
    own = {name: rule for name, rule in _rules(table) if not name.startswith(RESOURCES)}
    fields = _renamed(flat, own, BUILT_IN)
    for name in _OWN:
        value = fields.pop(name, None)
        # Of a dataset that has come by way of several portals, the first one's identity.
        is_first = name != "guid" or is_blank(fields.get(PREFIX + name))
        if value is not None and is_first:
            fields[PREFIX + name] = value
    parts = {name[len(RESOURCES) :]: rule for name, rule in _rules(table) if name not in own}
    if isinstance(fields.get("resources"), list):
        fields["resources"] = [
            _renamed(resource, parts, OF_RESOURCES) if isinstance(resource, Mapping) else resource
            for resource in fields["resources"]
        ]
    return fields


def _renamed(
    flat: Mapping[str, Any], own: Mapping[str, Rule], names: Mapping[str, str]
) -> dict[str, Any]:
    """Return fields with our names: by the source's rules, else by ours where a name is free."""
    fields = dict(flat)
    for name, rule in own.items():
        value = rule.translate(fields.pop(name, None))
        if rule.target and not is_blank(value):
            fields[rule.target] = value
    names_by_fold: dict[str, list[str]] = {}
    for name in fields:
        names_by_fold.setdefault(_folded_name(name), []).append(name)
    for known, target in names.items():
        for name in names_by_fold.get(_folded_name(known), ()):
            is_free = name not in own and is_blank(fields.get(target))
            if is_free and not is_blank(fields.get(name)):
                fields[target] = fields.pop(name)
    return fields


@lru_cache(maxsize=1024)  # a catalogue's records have the same names
def _folded_name(name: str) -> str:
    return re.sub(r"[\s_-]+", "_", name.strip().casefold())


def _rules(table: Mapping[str, Any]) -> Iterable[tuple[str, Rule]]:
    for name, entry in table.items():
        if isinstance(entry, str):
            yield name, Rule(entry)
        elif not entry or entry.get("drop"):
            yield name, Rule("")
        else:
            values = entry.get("values", {})
            target = entry.get("to", name).removeprefix(RESOURCES)
            yield (
                name,
                Rule(
                    target,
                    {**({key.casefold(): value for key, value in values.items()}), **values},
                    entry.get("default"),
                ),
            )


# Fields of data.europa.eu's extended CKAN schema, under the names that the parser reads. Source:
# its guide for suppliers, "Metadata model". Objects with ``label`` and ``resource`` stand for
# values of a vocabulary, and most fields may be lists of them. Extras are named as in ckanext-dcat,
# JSON lists included. A field that also has the name that the parser reads keeps that value; a text
# where the guide has an object or a list is another site's field, and stays as it is.

_THEMES = ("theme-primary", "theme-secondary", "themes")


def translate_eu(flat: Mapping[str, Any]) -> dict[str, Any]:
    """Return a package's fields with those of data.europa.eu's schema translated."""
    package_dict = _translated(flat, _DATASET, _DATES)
    if all(is_blank(flat.get(key)) for key in _THEMES):
        package_dict |= {"themes": themes} if (themes := _themes(flat.get("groups"))) else {}
    package_dict |= {
        key: text for key, text in _further_agents(flat).items() if is_blank(package_dict.get(key))
    }
    resources = flat.get("resources")
    if isinstance(resources, list):
        package_dict["resources"] = [
            _resource(part) if isinstance(part, Mapping) else part for part in resources
        ]
    return package_dict


def _resource(flat: Mapping[str, Any]) -> dict[str, Any]:
    resource = _translated(flat, _RESOURCE, _FILE_DATES)
    downloads = flat.get("download_url")
    if isinstance(downloads, list) and (urls := _texts(downloads, "resource")):
        # As in DCAT: url may be a page about the file, and a resource is the file.
        resource["access_url"] = clean_text(flat.get("url"))
        resource |= {"url": urls[0], "download_url": ", ".join(urls)}
    return resource


def _translated(
    flat: Mapping[str, Any], rows: Mapping[str, Row], dates: Mapping[str, str]
) -> dict[str, Any]:
    fields = dict(flat)
    for key, (read, *names) in rows.items():
        if not isinstance(flat.get(key), (list, Mapping)):  # a text is another site's field
            continue
        values = {name: value for name, value in zip(names, read(flat[key]), strict=False) if value}
        if values:
            del fields[key]
        fields |= {k: value for k, value in values.items() if is_blank(fields.get(k))}
    for key, name in dates.items():
        text = flat.get(key)
        is_free = isinstance(text, str) and is_blank(fields.get(name))
        if is_free and parse_value(str(text), parse_date, ignore, ""):
            fields[name] = text
    return fields


def _objects(value: Any) -> Iterator[Mapping[str, Any]]:
    items = value if isinstance(value, list) else [value]
    return (item for item in items if isinstance(item, Mapping))


def _texts(value: Any, *keys: str) -> list[str]:
    """Return the texts of a list of texts or objects: of each object its first filled member."""
    items = value if isinstance(value, list) else [value]
    texts = (
        next(filter(None, (clean_text(item.get(key)) for key in keys)), "")
        if isinstance(item, Mapping)
        else clean_text(item)
        for item in items
    )
    return list(dict.fromkeys(filter(None, texts)))


# Readers return one value for each name in their row.


def _agent(value: Any) -> tuple[str, ...]:
    agent = next(_agents(value), Agent())
    return agent.name, agent.email, agent.url


def _agents(value: Any) -> Iterator[Agent]:
    for item in _objects(value):
        url = next(iter(_texts([item], "resource", "homepage", "uri", "url")), "")
        email = clean_text(item.get("email")).removeprefix("mailto:")
        yield Agent(clean_text(item.get("name")), email, url)


# Fields with people and bodies → their role.
_ROLES = {
    "contact_point": parties.CONTACT,
    "contact": parties.CONTACT,
    "publisher": parties.PUBLISHER,
    "creator": parties.AUTHOR,
}


def _further_agents(flat: Mapping[str, Any]) -> Mapping[str, str]:
    """Return the extra for all agents but the first in each role."""
    agents: list[Agent] = []
    for key, role in _ROLES.items():
        if isinstance(flat.get(key), (list, Mapping)):
            agents += parties.with_role(list(_agents(flat[key]))[1:], role)
    return parties.other_parties(agents)


def _first(value: Any) -> list[str]:
    return _texts(value, "resource", "label")[:1]


def _all(value: Any) -> list[list[str]]:
    return [_texts(value, "resource", "label")]


def _languages(value: Any) -> list[str]:
    return [", ".join(read_languages(_texts(value, "resource", "label"), ignore))]


def _place(value: Any) -> list[str]:
    objects = list(_objects(value))
    return ["; ".join(_texts(objects, "label")), " ".join(_texts(objects, "resource"))]


def _period(value: Any) -> tuple[str, str, str]:
    pairs = [
        (clean_text(item.get("start_date")), clean_text(item.get("end_date")))
        for item in _objects(value)
    ]
    periods = read_periods(pairs, ignore)
    if len(pairs) > 1 and periods.whole and not periods.unread:
        return periods.whole.start, periods.whole.end, periods.extras[EXTENTS]
    return (*next(iter(pairs), ("", "")), "")


def _joined(value: Any) -> list[str]:
    return [", ".join(_texts(value, "label", "resource", "value", "name"))]


def _json_list(value: Any) -> list[str]:
    texts = _texts(value, "resource", "label", "value", "name")
    return [canonical_json(texts) if texts else ""]


def _checksum(value: Any) -> list[str]:
    names = ("checksum_value", "checksumValue", "value")
    pairs = (
        (next(iter(_texts([item], *names)), ""), next(iter(_first(item.get("algorithm"))), ""))
        for item in _objects(value)
    )
    facts = read_checksums(pairs)
    return [facts.get(name, "") for name in _CHECKSUM]


_CHECKSUM = ("hash", "hash_algorithm", "checksums")


def _licence(value: Any) -> tuple[str, ...]:
    item = next(_objects(value), {})
    return next(iter(_texts([item], "label", "resource")), ""), clean_text(item.get("resource"))


def _themes(groups: Any) -> list[str]:
    """Return the EU's themes that groups are named after."""
    themes = (
        next(filter(None, (_by_name().get(_squash(group.get(key))) for key in _NAMES)), "")
        for group in _objects(groups)
    )
    return list(dict.fromkeys(filter(None, themes)))


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

# Field → reader, and the names that its values get.
Row = tuple[Any, ...]
_DATASET: Mapping[str, Row] = {
    "contact_point": (_agent, "contact-name", "contact-email"),
    "contact": (_agent, "contact-name", "contact-email"),
    "publisher": (
        _agent,
        *("dcat_publisher_name", "dcat_publisher_email", "dcat_publisher_uri"),
    ),
    "creator": (_agent, "author", "author_email"),
    "accrual_periodicity": (_first, "update_frequency"),
    "accrucal_periodicity": (_first, "update_frequency"),  # as the guide writes it
    "language": (_all, "language"),
    "dcat_spatial": (_place, "spatial-text", "spatial_uri"),
    "temporal": (_period, "temporal_coverage-from", "temporal_coverage-to", EXTENTS),
    "conforms_to": (_all, "conforms_to"),
    "identifier": (_joined, "identifier"),
    "alternate_identifier": (_json_list, "alternate_identifier"),
    "other_identifier": (_json_list, "alternate_identifier"),
    "version_info": (_joined, "version"),
    "version_notes": (_joined, "version_notes"),
    "provenance": (_joined, "provenance"),
    "access_rights": (_joined, "access_rights"),
    "dct_type": (_joined, "dcat_type"),
    "source": (_json_list, "source"),
    "has_version": (_json_list, "has_version"),
    "is_version_of": (_json_list, "is_version_of"),
    "relation": (_json_list, "related_resource"),
    "page": (_json_list, "documentation"),
    "sample": (_json_list, "sample"),
}
_RESOURCE: Mapping[str, Row] = {
    "checksum": (_checksum, *_CHECKSUM),
    "license": (_licence, "license", "license_url"),
    "language": (_languages, "language"),
    "conforms_to": (_all, "conforms_to"),
    "status": (_joined, "status"),
    "rights": (_joined, "rights"),
    "page": (_json_list, "documentation"),
}
