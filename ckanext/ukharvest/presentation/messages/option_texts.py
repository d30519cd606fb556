"""Labels and help of the options of source types in the form; the rest is in source_types.py.

An option's own help describes the API and the configuration; where the form differs from the
configuration, the form has its own help here.
"""

from __future__ import annotations

from collections.abc import Mapping

from ckanext.ukharvest.core.options import Option
from ckanext.ukharvest.core.values.text import marked as _

LABELS = {
    "organizations_filter_include": _("Only these organisations"),
    "organizations_filter_exclude": _("Skip these organisations"),
    "groups_filter_include": _("Only these groups"),
    "groups_filter_exclude": _("Skip these groups"),
    "tags_filter_include": _("Only these tags"),
    "tags_filter_exclude": _("Skip these tags"),
    "licenses_filter_include": _("Only these licences"),
    "licenses_filter_exclude": _("Skip these licences"),
    "types_filter_include": _("Only these types of dataset"),
    "types_filter_exclude": _("Skip these types of dataset"),
    "fq": _("Further filter"),
    "rows": _("Datasets at a time"),
    "full_check_days": _("Days between full runs"),
    "force_all": _("Read all datasets in each run"),
    "fields": _("Translation of fields"),
    "max_resources": _("Most resources of a dataset"),
    "remote_groups": _("Groups of the other site"),
    "remote_orgs": _("Organisations of the other site"),
    "paging": _("Further pages"),
    "include_non_public": _("Import non-public datasets too"),
    "include_restricted": _("Import restricted datasets too"),
    "include_inspire": _("Import datasets with INSPIRE metadata"),
    "refine": _("Only datasets with these values"),
    "exclude": _("Skip datasets with these values"),
    "rdf_format": _("Syntax"),
    "language": _("Language"),
    "translations": _("Other languages"),
    "profiles": _("Profiles of ckanext-dcat"),
    "types": _("Types of record"),
    "cql": _("Condition in CQL"),
    "filter": _("Condition as an OGC filter"),
    "page_size": _("Records at a time"),
    "method": _("Request method"),
    "schema": _("Schema of the records"),
    "modified_format": _("Date format of the server"),
    "modified_name": _("Name of the metadata date on the server"),
    "skip_responsible_party": _("Skip records of these organisations"),
    "validation": _("Records that do not follow the standard"),
    "validation_profiles": _("Check records against"),
    "depth": _("Levels of sub-folders"),
    "connections": _("Files at the same time"),
    "credential": _("Name of a secret"),
    "default_tags": _("Tags for every dataset"),
    "default_extras": _("Extra fields for every dataset"),
    "not_overwrite": _("Fields that the source does not change"),
    "default_groups": _("Groups for every dataset"),
    "batch_size": _("Datasets described at a time"),
    "graphs": _("Named graphs"),
    "query": _("Your own query"),
    "from": _("Changed on or after"),
    "metadata_prefix": _("Metadata format"),
    "sets": _("Sets"),
    "until": _("Changed on or before"),
    "answer": _("Form of the results"),
    "box": _("Only in this area"),
    "parameters": _("Further search parameters"),
    "search_for": _("Search for"),
    "search_terms": _("Search words"),
    "time_end": _("About this time or earlier"),
    "time_start": _("About this time or later"),
    "include_values": _("Only records with these values"),
    "exclude_values": _("Skip records with these values"),
}

# Replaces an option's help where that describes the configuration's spelling of a value.
HELPS = {
    "paging": _("Whether further pages are read after the first."),
    "fields": _(
        "Each row copies one field of the other site to a field here. Leave “field here” "
        "empty to drop the field. Values: one on each line, written there = here."
    ),
    "refine": _(
        "Datasets that have all of these. Write facet:value on each line, such as "
        "theme:Environment."
    ),
    "exclude": _(
        "Datasets with one of these are skipped. Write facet:value on each line, such as "
        "keyword:test."
    ),
    "include_values": _(
        "Write field:value on each line, such as keyword:parking. Of several values of a field "
        "one is enough. The test of the source shows which values it has."
    ),
    "exclude_values": _(
        "Records with one of these are skipped. Write field:value on each line, such as "
        "keyword:test."
    ),
    "skip_responsible_party": _(
        "Records with one of them as responsible organisation are skipped."
    ),
    "validation": _("What happens to a record or document with faults."),
    "validation_profiles": _(
        "Records are checked against these. Choose none to check each record against the "
        "edition that it names."
    ),
    "method": _("Most servers accept POST and GET. Some accept only one of them, or only SOAP."),
    "schema": _(
        "ISO 19139 is asked for if the server has it. A source that reads keeps its schema."
    ),
    "parameters": _(
        "Parameters of the service's description document. Write name=value on each line, such as "
        "eo:platform=Sentinel-2."
    ),
    "search_for": _("What to search for, if the service has both."),
    "answer": _("The form of the results to request."),
    "remote_groups": _("What to do with the groups of the other site's datasets."),
    "remote_orgs": _("The organisation here that owns the other site's datasets."),
    "default_extras": _(
        "Added to datasets that do not have the field. Write name=value on each line."
    ),
    "credential": _(
        "If the source needs a password or key, ask a sysadmin to store it as a named secret "
        "and enter that name here. It is sent only to the source's own server."
    ),
}

# Choices by option: its values in the form's order, with their labels.
CHOICES = {
    "paging": {
        "auto": _("Ask until nothing new comes"),
        "none": _("The first page is all there is"),
    },
    "validation": {
        "report": _("Import them and show their problems"),
        "reject": _("Do not import them; keep the earlier version"),
        "off": _("Do not check"),
        "strict": _("Refuse the whole document"),
        "lenient": _("Import what can be read and show the problems"),
    },
    "answer": {
        "atom": "Atom",
        "geojson": "GeoJSON",
    },
    "search_for": {
        "collection": _("Collections"),
        "results": _("Products"),
    },
    "method": {
        "auto": _("As the server accepts them"),
        "post": _("By POST"),
        "get": _("By GET"),
        "soap-1.1": _("By SOAP 1.1"),
        "soap-1.2": _("By SOAP 1.2"),
    },
    "schema": {
        "auto": _("ISO 19139, else what the server has"),
        "gmd": "ISO 19139",
        "iso19115-3": "ISO 19115-3",
        "geodcat-ap": "GeoDCAT-AP",
        "dcat": "DCAT",
    },
    "remote_groups": {
        "only_local": _("Use groups that this site has too"),
        "create": _("Also create groups that this site does not have"),
    },
    "remote_orgs": {
        "only_local": _("The organisation with the same name, if this site has it"),
        "create": _("The organisation with the same name; create it if there is none"),
    },
    "rdf_format": {
        "xml": "RDF/XML",
        "turtle": "Turtle",
        "json-ld": "JSON-LD",
        "nt": "N-Triples",
        "n3": "N3",
        "nquads": "N-Quads",
        "trig": "TriG",
    },
    "modified_format": {
        "YYYY-MM-DD": "2026-11-20",
        "YYYY-MM-DDThh:mm:ssZ": "2026-11-20T00:00:00Z",
        "MM-DD-YYYY": "11-20-2026",
    },
    "validation_profiles": {
        "gemini2-3": "GEMINI 2.3",
        "gemini2-1": "GEMINI 2.1",
        "table-a1": _("ISO 19139, table A.1"),
        "iso19139": _("ISO 19139 schema"),
        "iso19139eden": _("ISO 19139 schema (EDEN)"),
        "iso19139ngdc": _("ISO 19139 schema (NGDC)"),
        "constraints": _("ISO constraints (slow)"),
        "constraints-1.4": _("ISO constraints 1.4 (slow)"),
        "gemini2": _("GEMINI 2 Schematron (slow)"),
        "gemini2-1.3": _("GEMINI 2 Schematron 1.3 (slow)"),
    },
}

# The meaning of a text left empty, if no choice has that value.
EMPTY = {
    "remote_groups": _("Ignore them"),
    "remote_orgs": _("This source's own organisation"),
    "rdf_format": _("As the server says"),
    "answer": _("Atom, else GeoJSON"),
    "search_for": _("Collections, else products"),
}


# Options left by earlier harvesters: kept if a source has them, but not offered for new ones.
NOT_SHOWN = frozenset(
    (
        *("read_only", "api_version", "default_group_dicts", "clean_tags"),
        *("user", "user_agent", "override_extras", "api_key"),
    )
)


# An option with a label of its own is another distribution's, and has its own help and values.


def find_label(option: Option) -> str:
    """Return an option's label, "" if it is not in the form."""
    return option.label or LABELS.get(option.name, "")


def find_help(option: Option) -> str:
    """Return an option's help in the form."""
    return option.help if option.label else HELPS.get(option.name, option.help)


def find_choices(option: Option) -> Mapping[str, str]:
    """Return value → label of an option's choices, in order."""
    if option.label:
        return dict(zip(option.choices, option.choices, strict=True))
    return CHOICES.get(option.name, {})
