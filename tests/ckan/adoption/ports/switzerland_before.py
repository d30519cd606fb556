"""A Swiss portal's DCAT harvester as it was."""

from __future__ import annotations

import json
from typing import Any

import ckan.plugins as p
from ckanext.dcat.harvesters import DCATRDFHarvester
from ckanext.dcat.interfaces import IDCATRDFHarvester
from ckanext.dcat.profiles import RDFProfile
from rdflib import URIRef
from rdflib.namespace import DCTERMS

LANGUAGES = ("de", "fr", "it", "en")


class SwissProfile(RDFProfile):  # type: ignore[misc]
    """Titles and descriptions by language."""

    def parse_dataset(self, dataset_dict: dict[str, Any], dataset_ref: URIRef) -> dict[str, Any]:
        for key, property_ in (("title", DCTERMS.title), ("notes", DCTERMS.description)):
            texts = {each.language: str(each) for each in self.g.objects(dataset_ref, property_)}
            dataset_dict[key] = {language: texts.get(language, "") for language in LANGUAGES}
        dataset_dict["identifier"] = str(self.g.value(dataset_ref, DCTERMS.identifier))
        dataset_dict["name"] = dataset_dict["identifier"].replace("@", "-")
        return dataset_dict


class SwissHarvester(DCATRDFHarvester):  # type: ignore[misc]
    """Identifies datasets by ``number@organisation``, and leaves some out."""

    p.implements(IDCATRDFHarvester, inherit=True)

    def info(self) -> dict[str, str]:
        return {**super().info(), "name": "dcat_ch_rdf", "title": "DCAT-AP CH"}

    def _get_guid(self, dataset_dict: dict[str, Any], source_url: str | None = None) -> str:
        return str(dataset_dict["identifier"])

    def before_create(self, harvest_object: Any, dataset_dict: Any, temp_dict: Any) -> None:
        options = json.loads(harvest_object.source.config or "{}")
        if dataset_dict["identifier"] in options.get("excluded_dataset_identifiers", ()):
            dataset_dict.clear()

    before_update = before_create
