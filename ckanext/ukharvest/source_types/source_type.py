"""The class ``SourceType``, and the options that all source types have."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timezone
from typing import Any

from ckanext.ukharvest.core import record_filter
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.options import Option
from ckanext.ukharvest.core.record_filter import AskForFields, FilterField
from ckanext.ukharvest.core.records import DatasetRecord, Parser, RawRecord, Reader, RecordLimits
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.parsers import record_checks
from ckanext.ukharvest.parsers.completion import complete
from ckanext.ukharvest.parsers.record_checks import FieldNames, limit_record

# Version of what docs/developing/source-types.md states as public: raised when a type that was
# made for it no longer works. A type from another distribution names the one it was made for.
INTERFACE = 2

# Headings of the form, in its order.
GROUPS = {
    "portals": _("Open data portals"),
    "location": _("Location data (GEMINI)"),
    "files": _("Lists and linked data"),
    "others": _("Other types of source"),
}

URL_HINT = _("The URL that this type of source is read from.")
_LIMITS = RecordLimits()


@dataclass(slots=True)
class PortalTypes:
    """What a portal's own plugins add to the source types (``harvest/hooks/plugin_hooks.py``).

    Attributes:
        aliases: returns the portal's own name of a type → the name of ours that reads it.
        titles: returns such a name → the title that a plugin gives it.
        options: returns the options that plugins declare for a type, by either name.
    """

    aliases: Callable[[], Mapping[str, str]] = dict
    titles: Callable[[], Mapping[str, str]] = dict
    options: Callable[[str], Sequence[Option]] = lambda _name: ()


PORTAL = PortalTypes()


@dataclass(frozen=True, slots=True)
class SourceType:
    """One kind of source: its reader, parser and options.

    Attributes:
        name: stored with each source in CKAN; never changes.
        title, description: texts of the form and the documentation.
        options: options of this type, in addition to COMMON_OPTIONS.
        ignored: names of earlier harvesters' options that are accepted and have no effect.
        aliases: names that other harvesters use for the same type.
        old_guids: returns other forms of a record's guid that earlier harvesters stored, most
            likely first; used when a source is adopted. Never raises.
        volatile: matches parts of a record's content to ignore; a record that differs only in them
            is unchanged.
        dated: records have a date that publishers must change with the content; a problem is
            reported if they do not.
        reference_is_address: each record is a document with its own URL:
            the dataset's ``harvest_source_reference`` is that URL, not the guid, and the reader
            gets the documents read before (``Source.copies``), to skip unchanged ones.
        field_names: the format's own names of the fields that ``parse`` checks.
        other_names: returns those of a record in another format than most.
        interface: version of the interface that the type was made for (``INTERFACE``); required
            of types from other distributions, checked when they are loaded.
        summary: for the form: which sources have this type, and which URL to enter; "" for the
            description.
        url_hint, url_example: for the form: what the source's URL leads to, and such a URL.
        template: path of a file to fill in, below the portal's URL; the form links it, and the
            documentation shows it.
        software: what publishes such sources, for the documentation.
        group: heading of the form, a key of GROUPS.
        docs_url: the type's own page, for the form and the help; "" for ours, in docs/sources.
        recognise: tells from the first bytes of a document that it has a shape that ``reader``
            accepts. Our types are asked first, in their order.
        usual_urls: paths (with a query, if it needs one) that sources of this type have on their
            site; tried if the URL that was entered is not one. "" is for types that are found by
            their site.
        probe: what is added to a source's URL for the request that shows its type, such as
            "?verb=Identify"; "" if the URL itself shows it.
        filters: fields by which the type's own options keep or leave out records; the form shows
            them as rules.
        filter_fields: asks a source's server for the values that its filters can have, with the
            number of records of each, whatever the options filter now. May raise SourceError.
        own_type: the portal's own name under which its sources have the type, with options of its
            own (``for_options``); "" for none.
    """

    name: str
    title: str
    description: str
    reader: Reader
    parser: Parser
    options: tuple[Option, ...] = ()
    ignored: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    old_guids: Callable[[RawRecord], tuple[str, ...]] = lambda _raw: ()
    volatile: re.Pattern[str] | None = None
    dated: bool = False
    reference_is_address: bool = False
    field_names: FieldNames = FieldNames()
    other_names: Callable[[RawRecord], FieldNames | None] = lambda _raw: None
    interface: int = 0
    summary: str = ""
    url_hint: str = URL_HINT
    url_example: str = ""
    template: str = ""
    software: tuple[str, ...] = ()
    group: str = "others"
    docs_url: str = ""
    recognise: Callable[[bytes], bool] | None = None
    usual_urls: tuple[str, ...] = ()
    probe: str = ""
    filters: tuple[FilterField, ...] = ()
    filter_fields: AskForFields | None = None
    own_type: str = ""

    def for_options(self, options: Mapping[str, Any]) -> SourceType:
        """Return the type as a source with these options has it: under the portal's own name.

        It then has the title and the options that plugins declare for that name. The type itself
        for a source without one, or if no plugin declares it.
        """
        name = str(options.get(OWN_TYPE) or "")
        if name == self.own_type or PORTAL.aliases().get(name) != self.name:
            return self
        return replace(self, own_type=name, title=PORTAL.titles().get(name) or name)

    @property
    def all_options(self) -> tuple[Option, ...]:
        """Return all options that a configuration can have."""
        usable = (*self.options, *self.portal_options, *COMMON_OPTIONS)
        names = {option.name for option in usable}
        ignored = (Option(name, "ignored", None, "") for name in self.ignored if name not in names)
        return (*usable, *ignored)

    @property
    def portal_options(self) -> tuple[Option, ...]:
        """Return the options that the portal's own plugins add, under this name or their own."""
        taken = {option.name for option in (*self.options, *COMMON_OPTIONS)}
        added: dict[str, Option] = {}
        for name in filter(None, (self.name, self.own_type)):
            for option in PORTAL.options(name):
                if option.name not in taken:
                    added.setdefault(option.name, option)
        return tuple(added.values())

    @property
    def line(self) -> str:
        """Return the form's sentences about the type."""
        return self.summary or self.description.rstrip(".") + "."

    @property
    def plugin(self) -> str:
        """Return the name of the CKAN plugin that harvests sources of this type."""
        return f"ukharvest_{self.name.replace('-', '_')}"

    def parse(
        self, raw: RawRecord, options: Mapping[str, Any], limits: RecordLimits = _LIMITS
    ) -> DatasetRecord:
        """Return the parsed record within the limits, with the problems checked for every format.

        Raises:
            ParseError, NotValid, SkipRecord: as the parser.
            Unwanted: the options that filter by values leave the record out.
        """
        names = self.other_names(raw) or self.field_names
        record = limit_record(complete(self.parser.parse(raw, options)), limits, names)
        problems = record_checks.check(record, names, datetime.now(timezone.utc).date())
        record = replace(record, problems=(*record.problems, *problems))
        if record_filter.is_set(options) and (
            reason := record_filter.why_unwanted(asdict(record), options)
        ):
            raise record_filter.Unwanted(
                Message("{record}: {reason}", record=raw.display_name, reason=reason), record
            )
        return record


# CKAN's own fields for which default_extras can have a value.
DEFAULT_FIELDS = (
    *("notes", "url", "version", "license_id"),
    *("maintainer", "maintainer_email", "author", "author_email"),
)
BESIDE = "ukharvest_"  # before a type's name while another extension's plugin has it too
OWN_TYPE = "own_type"  # option with the portal's own name of a source's type
# Spellings of yes and no that ckanext-geodatagov's private_datasets can have.
_PRIVATE = {"true": "private", "yes": "private", "on": "private", "1": "private"}
_PUBLIC = {"false": "public", "no": "public", "off": "public", "0": "public"}
# The option that says by which validators records are saved, and its values.
PACKAGE_SCHEMA, FORM, STOCK = "package_schema", "form", "stock"


def _wrong_organisations(table: Mapping[str, Any]) -> str:
    wrong = next((name for name, ours in table.items() if not isinstance(ours, str)), "")
    return (
        Message("'{wrong}' has no name of an organisation of this portal", wrong=wrong)
        if wrong
        else ""
    )


# Options of all source types; used by engine and mapping.
COMMON_OPTIONS = (
    Option(
        "visibility",
        "text",
        "public",
        "Who sees new datasets of this source: everybody, or the members of its organisation. "
        "Datasets that are here already stay as they are.",
        choices={
            "public": _("Public"),
            "private": _("Private: only members of the organisation"),
        },
        alias="private_datasets",
        alias_values={**_PRIVATE, **_PUBLIC},
        label=_("Visibility of new datasets"),
        form_help=_("Datasets that are here already stay as they are."),
    ),
    Option(
        "credential",
        "text",
        "",
        "Name of a secret in the portal's ini, which is sent to the source's own server.",
        label=_("Name of a secret"),
        form_help=_(
            "If the source needs a password or key, ask a sysadmin to store it as a named secret "
            "and enter that name here. It is sent only to the source's own server."
        ),
    ),
    Option(
        "default_tags",
        "list",
        (),
        "Tags that every dataset of this source gets.",
        label=_("Tags for every dataset"),
        form_help="",
    ),
    Option(
        "default_extras",
        "list",
        (),
        'Fields that datasets get if they have none of that name, as "name=value": extras, fields '
        "of the portal's form, and CKAN's own that a record leaves empty, such as license_id or "
        "maintainer_email.",
        label=_("Extra fields for every dataset"),
        form_help=_("Added to datasets that do not have the field. Write name=value on each line."),
    ),
    Option(
        "not_overwrite",
        "list",
        (),
        "Fields of a dataset that the source does not change once they are filled.",
        label=_("Fields that the source does not change"),
    ),
    Option(
        "default_groups",
        "list",
        (),
        "Groups, by name, that every dataset of this source is put into.",
        sysadmin_only=True,
        label=_("Groups for every dataset"),
    ),
    Option(
        PACKAGE_SCHEMA,
        "text",
        "",
        "Validators that records have to pass: form for those of the portal's own form, stock for "
        "those that ckanext-harvest, ckanext-spatial or ckanext-dcat use instead; without it the "
        "portal's setting decides. No effect where ckanext-scheming has the form.",
        choices={
            FORM: _("As the dataset form of this portal does"),
            STOCK: _("As the harvesters of ckanext-harvest, -spatial and -dcat do"),
        },
        sysadmin_only=True,
        label=_("How records are validated"),
        is_rare=True,
        form_help=_(
            "Without the validators of the form, its fields are stored as extra fields, unchecked."
        ),
        empty=_("As the setting of this portal says"),
    ),
    *record_filter.OPTIONS,
    Option(
        "organisations",
        "table",
        {},
        "Which organisation a record's dataset is given to: name or URI of its publisher (else of "
        "its organisation on the portal that it came from, or of its contact) → name of an "
        "organisation here. Records of others go to the source's own.",
        sysadmin_only=True,
        check=_wrong_organisations,
        alias="organization_mapping",
    ),
    Option(
        "remote_orgs",
        "text",
        "",
        "Which organisation a record's dataset is given to, if no table says so: only_local for "
        "that of the remote site or of the publisher, if there is one of the same id, name or "
        "title here, create also creates missing organisations; without it all datasets belong to "
        "the source's organisation.",
        choices={
            "only_local": _("The publisher's, if this site has it"),
            "create": _("The publisher's; create it if there is none"),
        },
        sysadmin_only=True,
        label=_("Organisations of the datasets"),
        form_help="",
        empty=_("This source's own organisation"),
    ),
    Option(
        "parent_organisation",
        "text",
        "",
        "Name or id of the organisation that created organisations become part of.",
        sysadmin_only=True,
        label=_("Create organisations below"),
        is_rare=True,
        form_help=_("Name of an organisation of this portal."),
    ),
    Option(
        OWN_TYPE,
        "text",
        "",
        "The portal's own name of the source's type, which its hooks get. Set by the portal.",
    ),
)
