"""CKAN plugin interfaces, for other extensions to change how this one works."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ckan.plugins import Interface

from ckanext.ukharvest.core.errors import SkipRecord
from ckanext.ukharvest.core.options import Option
from ckanext.ukharvest.core.records import (
    DatasetRecord,
    ResourceRecord,
    ResourceTranslation,
    Translation,
)
from ckanext.ukharvest.core.values.stars import DatasetStars, Stars
from ckanext.ukharvest.core.xml.parser import parse
from ckanext.ukharvest.mapping.kept_fields import AddedValues

__all__ = [
    "AddedValues",
    "DatasetRecord",
    "DatasetStars",
    "HarvestedRecord",
    "IUkHarvest",
    "IUkHarvestStars",
    "IUkHarvestTranslations",
    "Option",
    "RawContent",
    "ResourceRecord",
    "ResourceTranslation",
    "SkipRecord",
    "SourceFacts",
    "Stars",
    "Translation",
]


JSON, XML, NTRIPLES = "application/json", "application/xml", "application/n-triples"


@dataclass(frozen=True, slots=True)
class SourceFacts:
    """The harvest source of a record.

    Attributes:
        id: of the source.
        type: name of its source type, such as ``gemini-waf``.
        own_type: the portal's own name of that type, "" for none
            (``IUkHarvest.source_type_aliases``).
        url: its URL as stored.
        owner_org: id of its organisation, "" for none.
        options: its options by name, those at their defaults included.
        title, name: of the source.
    """

    id: str
    type: str
    url: str
    owner_org: str
    options: Mapping[str, Any]
    own_type: str = ""
    title: str = ""
    name: str = ""


@dataclass(frozen=True)
class RawContent:
    """A record's content as it was read.

    Attributes:
        content: its text; of RDF the dataset's triples as N-Triples, whatever the source's syntax.
        media_type: ``application/json``, ``application/xml`` or ``application/n-triples``.
        url: that it was read from.
    """

    content: str = ""
    media_type: str = ""
    url: str = ""

    @cached_property
    def tree(self) -> Any:
        """The parsed content: of JSON its value, of XML lxml's root element; made when asked for.

        Raises:
            ValueError: it is neither.
        """
        if self.media_type == JSON:
            return json.loads(self.content)
        if self.media_type == XML:
            return parse(self.content, url=self.url)
        raise ValueError(f"{self.media_type} has no tree; use graph")

    @cached_property
    def graph(self) -> Any:
        """The content of RDF as a graph of rdflib, which is installed with ckanext-dcat.

        Raises:
            ValueError: it is not RDF.
            ImportError: rdflib is not installed.
        """
        if self.media_type != NTRIPLES:
            raise ValueError(f"{self.media_type} has no graph; use tree")
        from rdflib import Graph

        return Graph().parse(data=self.content, format="nt")


@dataclass(frozen=True, slots=True)
class HarvestedRecord(DatasetRecord):
    """A parsed record with its raw content, as hooks get it."""

    raw: RawContent = RawContent()


class IUkHarvest(Interface):
    """Change harvested datasets before they are saved, or skip their records.

    ``plugins.implements(IUkHarvest, inherit=True)``. Plugins are called in the order of
    ``ckan.plugins``.
    """

    def before_dataset_save(
        self, record: HarvestedRecord, source: SourceFacts, package_dict: dict[str, Any]
    ) -> None:
        """Change ``package_dict`` in place, or raise ``SkipRecord("reason")``.

        Called for each new or changed record, for new and existing datasets alike. The dict has
        what the source supplies, as ``package_create`` takes it: fields of the dataset type's
        schema are keys, all others are ``extras`` (a list of dicts with ``key`` and ``value``).
        What is set here counts as the source's, and no feature of ours writes over it. All fields
        of CKAN can be set: ``owner_org``, ``license_id``, ``groups`` (dicts with ``name``) and
        others; of a new dataset also ``name`` (a number is added if another dataset has it) and
        ``private``. Values as ``AddedValues([…])`` are added to those that the dataset has, in a
        list, a list of dicts or an extra with a JSON list, and replace none.

        Afterwards the fields that people own are added; name, type and visibility of an existing
        dataset, and its fields in ``not_overwrite``, stay whatever is set here.

        The dataset of a record that is skipped stays until enough complete runs have missed the
        record, as with options that leave records out. Any other exception fails this record alone;
        the error names the plugin. The call is part of the transaction that saves the datasets:
        do not commit, and use no network.
        """

    def dataset_hook_version(self) -> int | str:
        """Return the version of ``before_dataset_save``: increase it when the method changes.

        The next run of each source then saves all its datasets again.
        """
        return 1

    def record_guid(self, record: HarvestedRecord, source: SourceFacts) -> str:
        """Return the identity that the portal gives a record, "" to keep that of its source.

        Asked before a record is matched: at its first import and whenever its content or the import
        rules change. The dataset's ``guid`` is then this one, and a dataset that another harvester
        stored under it is adopted. Which records a source lists, has deleted or left unchanged
        still goes by the source's own identity; both are stored. Of several plugins the first
        answer counts. Two records of a source cannot have the same.

        ``SkipRecord`` and other exceptions are as in ``before_dataset_save``. Increase
        ``dataset_hook_version`` when the method changes.
        """
        return ""

    def after_run(
        self,
        source: SourceFacts,
        run_id: str,
        changed: Sequence[str],
        deleted: Sequence[str],
    ) -> None:
        """Do what has to follow a run that has ended, such as informing another system.

        Called by a background job (``ckan jobs worker``), outside any transaction: the network and
        the database may be used. Called again, up to 10 times, until it returns: after an
        exception, and after a kill even if it had done its work.

        Args:
            run_id: of the harvest job.
            changed: ids of the datasets that the run added or updated.
            deleted: ids of those that it deleted.
        """

    def source_type_aliases(self) -> Mapping[str, str]:
        """Return the portal's own names of source types → names of ours that read them.

        ``{"dcat_ch_rdf": "dcat_rdf"}``: sources of that name are adopted, and new ones that the
        form or the API give that name are saved, as ours, with the own name beside it
        (``SourceFacts.own_type``). Searches find them by both names.
        """
        return {}

    def source_type_titles(self) -> Mapping[str, str]:
        """Return the portal's own names of source types → their titles in the form of a source.

        English, to be translated where they are shown. A type without one is shown by its name.
        """
        return {}

    def source_options(self, own_type: str) -> Sequence[Option]:
        """Return options that sources of a type have for this plugin.

        Sources of this type alone have them. They are checked when a source is saved, shown in its
        form under "More options" if they have a label, kept when a source is adopted, and are part
        of the import rules: a changed one imports the records again. ``before_dataset_save`` gets
        them in ``source.options``.

        Args:
            own_type: a key of ``source_type_aliases``, or the name of one of our types; called for
                both.
        """
        return ()


class IUkHarvestStars(Interface):
    """Change the stars of openness of datasets, and their reasons.

    All methods are optional: ``plugins.implements(IUkHarvestStars, inherit=True)``. Plugins are
    called in the order of ``ckan.plugins``; each gets the result of the one before. They are
    called at each import and edit, and by ``ckan ukharvest stars`` for all datasets in a row: use
    no network, and no database query per dataset. An SQL error fails the dataset's transaction.
    Any other exception, or a result that is no ``Stars`` from 0 to 5, is logged and named by
    ``ckan ukharvest doctor``, and the result before it is kept.

    A dataset is a dict with ``id``, ``name``, ``title``, ``notes``, ``type``, ``license_id``,
    ``url``, ``owner_org``, ``private``, ``extras`` (a list of dicts with ``key`` and ``value``;
    while a dataset is saved, fields of the portal's own schema are keys of the dataset instead)
    and ``resources``: dicts with ``id``, ``url``, ``format``, ``mimetype``, ``name``,
    ``description``, ``resource_type``, ``size``, ``hash``, ``url_type`` and their own fields.
    Keys without a value can be missing.
    """

    def stars_of_formats(self) -> Mapping[str, int]:
        """Return format label ("CSV") → stars, for formats to change or add."""
        return {}

    def stars_of_resource(
        self, package: Mapping[str, Any], resource: Mapping[str, Any], found: Stars
    ) -> Stars:
        """Return the stars of a resource; return ``found`` to change nothing.

        ``found.code`` is "dead-link" if link checks found the resource's link dead.
        """
        return found

    def stars_of_dataset(self, package: Mapping[str, Any], found: DatasetStars) -> DatasetStars:
        """Return the stars of a dataset; return ``found`` to change nothing."""
        return found

    def stars_reason(self, found: Stars) -> str:
        """Return the reason as text in the user's language, "" for the default text.

        Needed for codes of the plugin's own, which else show their ``detail``.
        """
        return ""


class IUkHarvestTranslations(Interface):
    """Translate records while they are imported. No translation service is built in.

    All methods are optional: ``plugins.implements(IUkHarvestTranslations, inherit=True)``. They are
    called for each new or changed record, after it is parsed and before it is mapped to a dataset;
    not for unchanged ones. After an upgrade or a change of options they are called for all records
    of a source, to compare what these come out as: cache translations by text.

    What the source says itself stays: only languages and texts that it does not have are added. An
    exception, or a result of another form, becomes a problem of the record
    (``translation-failed``), and the record is imported without it. A consumer waits for each
    answer: requests need a timeout. Do not use the database.
    """

    def dataset_translations(self, record: DatasetRecord) -> Mapping[str, Translation]:
        """Return language code (``cy``) → title, notes and tags in that language.

        ``record.text_language`` is the language of ``record.title`` and ``record.notes``, "" if it
        is not known; ``record.translations`` are those that it has.
        """
        return {}

    def resource_translations(
        self, record: DatasetRecord, resource: ResourceRecord
    ) -> Mapping[str, ResourceTranslation]:
        """Return language code → name and description of a resource in that language."""
        return {}
