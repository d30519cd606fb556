"""A Finnish portal as it was: ckanext-spatial's hook, and a CKAN harvester of its own."""

from __future__ import annotations

import json
from typing import Any

import ckan.plugins as p
from ckan import model
from ckan.lib.munge import munge_tag, munge_title_to_name
from ckanext.harvest.harvesters import CKANHarvester
from ckanext.spatial.interfaces import ISpatialHarvester

OPEN = "Open Data"


class FinnishSpatial(p.SingletonPlugin):
    """Texts in their fields, the responsible party's organisation, a licence, no service."""

    p.implements(ISpatialHarvester, inherit=True)

    def get_package_dict(self, context: Any, data_dict: dict[str, Any]) -> Any:
        package, values = data_dict["package_dict"], data_dict["iso_values"]
        harvest_object = data_dict["harvest_object"]
        options = json.loads(harvest_object.source.config or "{}")
        extras = {extra["key"]: extra["value"] for extra in package["extras"]}
        if "service" in values["resource-type"]:
            return None
        party = json.loads(extras["responsible-party"])[0]
        organization = model.Group.get(munge_title_to_name(party["name"]))
        if organization:
            package["owner_org"] = organization.id
        tags = [munge_tag(tag["name"]) for tag in package.pop("tags")]
        package |= {
            "title_translated": {"fi": package.pop("title"), "sv": "", "en": ""},
            "notes_translated": {"fi": package.pop("notes"), "sv": "", "en": ""},
            "keywords": {"fi": tags},
            "collection_type": OPEN,
            "license_id": options.get("license") or "notspecified",
            "maintainer": party["name"],
            "maintainer_email": extras["contact-email"] or "none@portal.example",
        }
        kept = ("guid", "spatial", "metadata-date")
        package["extras"] = [{"key": key, "value": extras[key]} for key in kept if key in extras]
        package["extras"].append({"key": "root", "value": data_dict["xml_tree"].tag[-11:]})
        return package


class SykeHarvester(CKANHarvester):  # type: ignore[misc]
    """The environment institute's catalogue, which is in one language."""

    def info(self) -> dict[str, str]:
        return {**super().info(), "name": "syke", "title": "SYKE"}

    def modify_package_dict(self, package_dict: dict[str, Any], harvest_object: Any) -> Any:
        texts = {f"{key}_translated": {"fi": package_dict[key]} for key in ("title", "notes")}
        tags = [tag["name"] for tag in package_dict.pop("tags")]
        package_dict |= {**texts, "keywords": {"fi": tags}, "collection_type": OPEN, "extras": []}
        package_dict["license_id"] = json.loads(harvest_object.source.config)["license"]
        package_dict["maintainer"] = package_dict.get("maintainer") or "SYKE"
        package_dict["maintainer_email"] = "data@syke.example"
        return package_dict
