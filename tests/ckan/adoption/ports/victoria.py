"""The State of Victoria: defaults, visibility, categories."""

from __future__ import annotations

import ckan.plugins as p

from ckanext.ukharvest.interfaces import IUkHarvest, Option


class VictoriaPlugin(p.SingletonPlugin):
    p.implements(IUkHarvest, inherit=True)

    def source_type_aliases(self):
        return {"datavic_dcat_json": "data_json"}

    def source_options(self, own_type):
        if own_type != "datavic_dcat_json":
            return []
        labels = {"default_license": "Licence", "default_data_owner": "Owner of the data"}
        labels |= {"category": "Category", "default_visibility": "Who sees new datasets"}
        help_ = "For datasets that do not say it."
        return [Option(name, "text", "", help_, label=text) for name, text in labels.items()]

    def before_dataset_save(self, record, source, package_dict):
        if source.own_type == "datavic_dcat_json":
            options = source.options
            is_private = record.raw.tree["accessLevel"] != "public"
            package_dict["private"] = is_private or options["default_visibility"] == "private"
            package_dict["license_id"] = package_dict["license_id"] or options["default_license"]
            package_dict["groups"] = [{"name": options["category"]}]
            owner = {"key": "data_owner", "value": options["default_data_owner"]}
            package_dict["extras"].append(owner)
