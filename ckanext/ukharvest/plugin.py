"""The plugin ``ukharvest``: settings, tables, actions, pages and commands for all source types."""

from __future__ import annotations

from typing import Any

import ckan.plugins as p
import ckan.plugins.toolkit as tk
from ckan.lib.plugins import DefaultTranslation

from ckanext.ukharvest import assessment, compat, config, form_fields
from ckanext.ukharvest.core import vocabulary
from ckanext.ukharvest.helpers import listing
from ckanext.ukharvest.search import facets, index_fields, place


@tk.blanket.config_declarations
@tk.blanket.validators
@tk.blanket.actions
@tk.blanket.auth_functions
@tk.blanket.helpers
@tk.blanket.blueprints
@tk.blanket.cli
class UkharvestPlugin(p.SingletonPlugin, DefaultTranslation):
    """What the source types share; each type is a plugin of its own beside this one."""

    p.implements(p.IConfigurer)
    p.implements(p.IPackageController, inherit=True)
    p.implements(p.IResourceController, inherit=True)
    p.implements(p.IFacets, inherit=True)
    p.implements(p.ITranslation)

    def update_config(self, config_: Any) -> None:
        """Check the plugins' order, mend released faults, add our templates and static files."""
        config.check_plugins()
        config.check_settings()
        compat.apply_patches()
        vocabulary.use(config.vocabularies())
        tk.add_template_directory(config_, "templates")
        tk.add_public_directory(config_, "public")
        tk.add_resource("assets", "ukharvest")

    def after_dataset_create(self, context: Any, pkg_dict: dict[str, Any]) -> None:
        """Work out stars and theme of a new dataset."""
        assessment.keep(context, pkg_dict)

    def after_dataset_update(self, context: Any, pkg_dict: dict[str, Any]) -> None:
        """Work them out anew."""
        assessment.keep(context, pkg_dict)

    def before_resource_update(
        self, context: Any, current: dict[str, Any], resource: dict[str, Any]
    ) -> None:
        """Keep what the form of the resource did not show."""
        form_fields.keep(current, resource)

    def before_dataset_index(self, pkg_dict: dict[str, Any]) -> dict[str, Any]:
        """Add what facets count."""
        return {**pkg_dict, **index_fields.of(pkg_dict)}

    def before_dataset_search(self, search_params: dict[str, Any]) -> dict[str, Any]:
        """Hand a place in numbers on to ckanext-spatial, whose plugin comes after this one."""
        place.apply(search_params)
        return search_params

    def after_dataset_search(
        self, search_results: dict[str, Any], search_params: dict[str, Any]
    ) -> dict[str, Any]:
        """Say in words what facets count; note what a page may show of what was found."""
        facets.label(search_results, search_params.get("fq") or "")
        listing.remember(search_results.get("results") or ())
        return search_results

    def dataset_facets(self, facets_dict: dict[str, str], package_type: str) -> dict[str, str]:
        """Add ours to the search of datasets."""
        return facets.added(facets_dict, package_type)

    def organization_facets(
        self, facets_dict: dict[str, str], _organization_type: str, package_type: str | None
    ) -> dict[str, str]:
        """Add them to an organisation's page."""
        return facets.added(facets_dict, package_type)

    def group_facets(
        self, facets_dict: dict[str, str], _group_type: str, package_type: str | None
    ) -> dict[str, str]:
        """Add them to a group's page."""
        return facets.added(facets_dict, package_type)
