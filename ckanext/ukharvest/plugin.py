"""The plugin ``ukharvest``: settings, tables, actions, pages and commands for all source types."""

from __future__ import annotations

from typing import Any

from ckan import authz, logic, model
from ckan import plugins as p
from ckan.lib.plugins import DefaultTranslation
from ckan.plugins import toolkit as tk

from ckanext.ukharvest import config, features, patches, write_batch
from ckanext.ukharvest.core.vocabularies import vocabulary
from ckanext.ukharvest.datasets import provenance, search
from ckanext.ukharvest.datasets.helpers import add_translations
from ckanext.ukharvest.harvest import database, lists
from ckanext.ukharvest.harvest.batch import dataset_rows
from ckanext.ukharvest.harvest.hooks import plugin_hooks
from ckanext.ukharvest.harvest.index import index_values
from ckanext.ukharvest.harvest.sources import decision_log
from ckanext.ukharvest.lib import source_secrets
from ckanext.ukharvest.lib.lookups import TYPE
from ckanext.ukharvest.rendering import form_fields
from ckanext.ukharvest.sources import model as source_model


@tk.blanket.config_declarations
@tk.blanket.validators(features.validators)
@tk.blanket.actions(features.actions)
@tk.blanket.auth_functions(features.auth_functions)
@tk.blanket.helpers(features.helpers)
@tk.blanket.blueprints(features.blueprints)
@tk.blanket.cli
class UkharvestPlugin(p.SingletonPlugin, DefaultTranslation):
    """The shared parts of all source types; each source type is a plugin of its own."""

    p.implements(p.IConfigurer)
    p.implements(p.IConfigurable)
    p.implements(p.IPackageController, inherit=True)
    p.implements(p.IResourceController, inherit=True)
    p.implements(p.IOrganizationController, inherit=True)
    p.implements(p.IFacets, inherit=True)
    p.implements(p.ITranslation)

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        # Also here, so that a plugin which fails before update_config does not hide the reason.
        config.check_order()
        features.register()
        plugin_hooks.register_types()
        # Plugins listed before us that look for a validator or an action while they are imported
        # (image_view, datastore) have filled CKAN's caches without ours. CKAN checks settings,
        # which needs our validators, before it clears the caches itself.
        logic.clear_validators_cache()
        logic.clear_actions_cache()
        authz.clear_auth_functions_cache()

    def update_config(self, config_: Any) -> None:
        """Check the list of plugins, apply patches, add our templates and static files."""
        config.check_plugins()
        patches.apply_patches()
        tk.add_template_directory(config_, "templates")
        tk.add_public_directory(config_, "public")
        tk.add_resource("assets", "ukharvest")

    def configure(self, _config: Any) -> None:
        """Check and use the settings, after all plugins have changed them.

        ckanext-envvars changes them in its update_config, which may come after ours.
        """
        config.check_settings()
        vocabulary.use(config.vocabularies())
        database.check_at_start()

    def after_dataset_create(self, context: Any, pkg_dict: dict[str, Any]) -> None:
        """Save what features store with a new dataset, and hand on the ids that it got."""
        if batch := write_batch.written():
            ids = [resource["id"] for resource in pkg_dict.get("resources") or ()]
            batch.resource_ids[pkg_dict["id"]] = ids
        dataset_rows.assess_dataset(context, pkg_dict)

    def after_dataset_update(self, context: Any, pkg_dict: dict[str, Any]) -> None:
        """Save what features store with a dataset; note who edits a source."""
        decision_log.note_edit(context, pkg_dict)
        dataset_rows.assess_dataset(context, pkg_dict)

    def after_dataset_delete(self, context: Any, pkg_dict: dict[str, Any]) -> None:
        """Note who switches a source off, which CKAN calls deleting its dataset."""
        decision_log.note_edit(context, {"id": pkg_dict["id"], "state": "deleted"})

    def after_dataset_show(self, context: Any, pkg_dict: dict[str, Any]) -> None:
        """Add the extras ``harvest:…``, and what features add, to a dataset that the API shows.

        A source's secrets are hidden from users who may not update it.
        """
        if pkg_dict.get("type") == TYPE:
            source_secrets.hide_in_source(context, pkg_dict)
        if provenance.is_shown_by_api("package_show"):
            provenance.add_computed(context, [pkg_dict])
            for add in lists.WITH_SHOW:
                add(pkg_dict)

    def before_dataset_view(self, pkg_dict: dict[str, Any]) -> dict[str, Any]:
        """Show a dataset's texts in the reader's language."""
        add_translations(pkg_dict)
        return pkg_dict

    def edit(self, entity: Any) -> None:
        """Note an organisation's datasets for the index if its type changed.

        CKAN calls it for organisations and for datasets, before the commit.
        """
        if isinstance(entity, model.Group):
            index_values.note_change(entity.id)

    def before_resource_update(
        self, context: Any, current: dict[str, Any], resource: dict[str, Any]
    ) -> None:
        """Restore fields that the resource's form did not show."""
        form_fields.restore_hidden_fields(current, resource)

    def before_dataset_index(self, pkg_dict: dict[str, Any]) -> dict[str, Any]:
        """Add our index fields, for facets; leave out secrets of sources."""
        fields = search.build_index_fields(pkg_dict)
        return source_secrets.without_secrets_in_index({**pkg_dict, **fields})

    def before_dataset_search(self, search_params: dict[str, Any]) -> dict[str, Any]:
        """Change search parameters for the plugins after this one.

        Pass coordinates of a place to ckanext-spatial, and let ckanext-harvest find sources if the
        query is about them.
        """
        search.apply_place(search_params)
        source_model.search_sources(search_params)
        return search_params

    def after_dataset_search(
        self, search_results: dict[str, Any], search_params: dict[str, Any]
    ) -> dict[str, Any]:
        """Label facet values, and remember the found datasets for their badges.

        The API's ``package_search`` shows the extras ``harvest:…`` as ``package_show`` does, and
        hides the same secrets of sources.
        """
        user = {"user": tk.current_user.name if tk.current_user else ""}
        source_secrets.hide_in_results(user, search_results["results"])
        search.prepare_results(search_results, search_params.get("fq") or "")
        if provenance.is_shown_by_api("package_search"):
            # With ``fl`` the results have only the fields that were asked for.
            results = [result for result in search_results["results"] if "extras" in result]
            provenance.add_computed({"user": tk.current_user.name}, results)
        return search_results

    def dataset_facets(self, facets_dict: dict[str, str], package_type: str) -> dict[str, str]:
        """Add our facets to the dataset search."""
        return search.add_facets(facets_dict, package_type)

    def organization_facets(
        self, facets_dict: dict[str, str], _organization_type: str, package_type: str | None
    ) -> dict[str, str]:
        """Add our facets to an organisation's page."""
        return search.add_facets(facets_dict, package_type)

    def group_facets(
        self, facets_dict: dict[str, str], _group_type: str, package_type: str | None
    ) -> dict[str, str]:
        """Add our facets to a group's page."""
        return search.add_facets(facets_dict, package_type)
