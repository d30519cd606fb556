"""A German portal: the contributor's id, a table of licences, no datasets without files."""

from __future__ import annotations

import json

import ckan.plugins as p

from ckanext.ukharvest.interfaces import IUkHarvest, Option, SkipRecord

DE = "http://dcat-ap.de/def/licenses/"
TABLE = {f"{DE}cc-by": f"{DE}cc-by/4.0", "": f"{DE}other-closed"}


class GermanyPlugin(p.SingletonPlugin):
    p.implements(IUkHarvest, inherit=True)

    def source_type_aliases(self):
        return {"dcatde_rdf": "dcat_rdf"}

    def source_options(self, own_type):
        contributor = Option(
            "contributorID", "text", "", "URI of the contributor.", label="Contributor"
        )
        files = Option("resources_required", "boolean", False, "Leave out datasets without files.")
        return [contributor, files] if own_type == "dcatde_rdf" else []

    def before_dataset_save(self, record, source, package_dict):
        if source.own_type == "dcatde_rdf":
            if source.options["resources_required"] and not record.resources:
                raise SkipRecord("it has no files")
            value = json.dumps([source.options["contributorID"]])
            package_dict["extras"].append({"key": "contributorID", "value": value})
            for resource in package_dict["resources"]:
                licence = resource.get("license") or resource.get("licence") or ""
                resource["license"] = TABLE.get(licence, licence)
