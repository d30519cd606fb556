"""The State of Victoria's data.json harvester as it was."""

from __future__ import annotations

import json
from typing import Any

from ckan.plugins import toolkit as tk
from ckanext.dcat.harvesters import DCATJSONHarvester


class VictoriaHarvester(DCATJSONHarvester):  # type: ignore[misc]
    """Fills in defaults, hides what is not public, and puts datasets into a category."""

    def info(self) -> dict[str, str]:
        return {**super().info(), "name": "datavic_dcat_json", "title": "DataVic DCAT JSON"}

    def modify_package_dict(self, package_dict: Any, dcat_dict: Any, harvest_object: Any) -> Any:
        options = json.loads(harvest_object.source.config)
        is_private = dcat_dict["accessLevel"] != "public"
        package_dict |= {
            "private": is_private or options.get("default_visibility") == "private",
            "license_id": package_dict.get("license_id") or options["default_license"],
            "groups": [{"name": options["category"]}],
        }
        package_dict["extras"].append({"key": "data_owner", "value": options["default_data_owner"]})
        return package_dict

    def _get_existing_dataset(self, guid: str) -> Any:
        """Find private ones too, which ckanext-dcat may not read."""
        rows = self._read_datasets_from_db(guid)
        return tk.get_action("package_show")({"ignore_auth": True}, {"id": rows[0][0]})
