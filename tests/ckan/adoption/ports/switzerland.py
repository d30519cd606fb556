"""A Swiss portal: identities of its own, exclusions, texts in four languages."""

from __future__ import annotations

import ckan.plugins as p

from ckanext.ukharvest.interfaces import IUkHarvest, Option, SkipRecord

LANGUAGES = ("de", "fr", "it", "en")


class SwitzerlandPlugin(p.SingletonPlugin):
    p.implements(IUkHarvest, inherit=True)

    def source_type_aliases(self):
        return {"dcat_ch_rdf": "dcat_rdf"}

    def source_options(self, own_type):
        name, help_ = "excluded_dataset_identifiers", "Identifiers of datasets to leave out."
        return [Option(name, "list", (), help_, label="Left out")] if own_type else []

    def record_guid(self, record, source):
        return record.extras.get("identifier", "") if source.own_type else ""

    def before_dataset_save(self, record, source, package_dict):
        if source.own_type == "dcat_ch_rdf":
            if record.guid in source.options["excluded_dataset_identifiers"]:
                raise SkipRecord("it is left out by its identifier")
            texts = {record.text_language: record, **record.translations}
            for key in ("title", "notes"):
                package_dict[key] = {code: getattr(texts.get(code), key, "") for code in LANGUAGES}
            package_dict["identifier"] = record.guid
