"""What the options of source types are called in the form; the tables of ``types`` know the rest.

Names in an option's help are those of the API and the configuration; where a form asks in another
way than the configuration is written, it has a help of its own.
"""

from __future__ import annotations

from ckanext.ukharvest.core.text import marked as _

LABELS = {
    "organizations_filter_include": _("Only these organisations"),
    "organizations_filter_exclude": _("Leave out these organisations"),
    "groups_filter_include": _("Only these groups"),
    "groups_filter_exclude": _("Leave out these groups"),
    "tags_filter_include": _("Only these tags"),
    "tags_filter_exclude": _("Leave out these tags"),
    "types_filter_include": _("Only these types of dataset"),
    "types_filter_exclude": _("Leave out these types of dataset"),
    "fq": _("Further filter"),
    "rows": _("Datasets at a time"),
    "full_check_days": _("Days between full runs"),
    "force_all": _("Read all datasets in each run"),
    "fields": _("Translation of fields"),
    "max_resources": _("Most resources of a dataset"),
    "remote_groups": _("Groups of the other site"),
    "remote_orgs": _("Organisations of the other site"),
    "paging": _("Further pages"),
    "include_non_public": _("Bring in non-public datasets too"),
    "rdf_format": _("Syntax"),
    "language": _("Language"),
    "profiles": _("Profiles of ckanext-dcat"),
    "types": _("Kinds of record"),
    "cql": _("Condition in CQL"),
    "page_size": _("Records at a time"),
    "method": _("How the server is asked"),
    "modified_format": _("How the server writes days"),
    "skip_responsible_party": _("Leave out records of these organisations"),
    "validation": _("Records that do not follow the standard"),
    "validation_profiles": _("Judge records by"),
    "depth": _("Levels of sub-folders"),
    "connections": _("Files at the same time"),
    "credential": _("Name of a secret"),
    "default_tags": _("Tags for every dataset"),
    "default_extras": _("Further fields for every dataset"),
    "not_overwrite": _("Fields that the source does not change"),
    "default_groups": _("Groups for every dataset"),
}

# In place of an option's help, where that speaks of the configuration's way to write a value.
HELPS = {
    "paging": _("Whether the source is asked for further pages after the first."),
    "fields": _(
        "Each row takes one field of the other site to a field here. A row without a field here"
        " leaves that field out. Values: one on each line, as there = here."
    ),
    "skip_responsible_party": _(
        "A record is left out when one of them is among its responsible organisations."
    ),
    "validation": _("What happens to a record or document with faults."),
    "validation_profiles": _(
        "Records are judged by these, whatever they say of themselves; without any, by the edition"
        " that each of them names."
    ),
    "method": _("Most servers take both; some answer only one of them."),
    "remote_groups": _("What becomes of the groups of the other site's datasets."),
    "remote_orgs": _("Which organisation here gets the other site's datasets."),
    "default_extras": _(
        "Given to datasets that have no field of that name; write name=value on each line."
    ),
    "credential": _(
        "Does the source need a password or key? Ask a sysadmin to store it as a named secret of"
        " this site, and give its name; it is sent to the source's own server alone."
    ),
}

# Values of options, by option: what is offered, in this order, with its words.
CHOICES = {
    "paging": {
        "auto": _("Ask until nothing new comes"),
        "none": _("The first page is all there is"),
    },
    "validation": {
        "report": _("Bring them in and show their problems"),
        "reject": _("Leave them out; an earlier version stays"),
        "off": _("Do not look"),
        "strict": _("Refuse the whole document"),
        "lenient": _("Bring in what can be read and show the problems"),
    },
    "method": {
        "auto": _("By POST, else by GET"),
        "post": _("By POST"),
        "get": _("By GET"),
    },
    "remote_groups": {
        "only_local": _("Use groups that are on this site as well"),
        "create": _("Make those that are not on this site"),
    },
    "remote_orgs": {
        "only_local": _("The organisation of the same name, where this site has it"),
        "create": _("The organisation of the same name; it is made where there is none"),
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

# What a text that is left empty means, where the list of choices has no such value.
EMPTY = {
    "remote_groups": _("Leave them aside"),
    "remote_orgs": _("This source's own organisation"),
    "rdf_format": _("As the server says"),
}

# Kept where a source has them, since earlier harvesters left them, but nobody needs to set them.
NOT_SHOWN = frozenset(
    (
        *("read_only", "api_version", "default_group_dicts", "clean_tags"),
        *("user", "user_agent", "override_extras", "api_key"),
    )
)
