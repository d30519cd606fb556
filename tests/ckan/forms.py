"""Portals with another dataset form than CKAN's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ckan.common import config
from ckan.plugins import load_all

FORM = "ukharvest_form"
SCHEMING = "scheming_datasets"
# The URI of each function and service that the tests use.
FUNCTION, SERVICE = "http://id.esd.org.uk/function/40", "http://id.esd.org.uk/service/579"


@contextmanager
def portal_with(plugin: str, *last: str, **settings: str) -> Iterator[None]:
    """Load a plugin after ``ukharvest``, with its settings, for the duration of the block.

    Also in the configuration, because each app that a test makes loads the plugins again.

    Args:
        last: plugins after all others.
    """
    plugins = config["ckan.plugins"]
    first = [plugins[0], plugin] if plugin else plugins[:1]
    config["ckan.plugins"] = [*first, *plugins[1:], *last]
    config.update(settings)
    load_all()
    try:
        yield
    finally:
        config["ckan.plugins"] = plugins
        for name in settings:
            del config[name]
        load_all()


_SCHEMAS = "scheming.dataset_schemas"
_PRESETS = "scheming.presets"
# Settings of ckanext-scheming: our example with all fields, and its own without any.
SCHEMING_WITH = {
    _SCHEMAS: "ckanext.ukharvest:scheming/dataset.yaml",
    _PRESETS: "ckanext.scheming:presets.json ckanext.ukharvest:scheming/presets.json",
}
SCHEMING_WITHOUT = {_SCHEMAS: "ckanext.scheming:ckan_dataset.yaml"}
