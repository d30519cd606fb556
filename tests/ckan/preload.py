"""Import and set up what every process of the tests needs (processes.py).

It is done once, in the process that all others are forked from: a command then needs 0.7 seconds of
processor time, and five if it is started by itself.
"""

from __future__ import annotations

import gc
import importlib
import inspect
import pkgutil

from ckan import views
from ckan.cli import cli
from ckan.logic import action, clear_validators_cache
from ckan.plugins import core
from ckanext.harvest.logic import action as harvest_action
from sqlalchemy.orm import configure_mappers

from tests.ckan.entry_points import entry_points

MODULES = (
    "pytest",
    "rdflib",
    "psycopg2.extras",
    "ckanapi.cli.ckan_click",
    "ckan.config.middleware",
    "ckanext.datapusher.plugin",
    "ckanext.datastore.plugin",
    "ckanext.harvest.cli",
    "ckanext.harvest.plugin",
    "ckanext.harvest.views",
    "ckanext.spatial.plugin",
    "ckanext.ukharvest.cli",
    "ckanext.ukharvest.form",
    "ckanext.ukharvest.harvesters.base",
    "ckanext.ukharvest.lib.actions",
    "ckanext.ukharvest.lib.auth",
    "ckanext.ukharvest.plugin",
    "ckanext.ukharvest.source_types",
    "ckanext.ukharvest.datasets.map_view",
)

for name in MODULES:
    importlib.import_module(name)
for package in (action, views, harvest_action):
    for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        importlib.import_module(module.name)
configure_mappers()
core.entry_points = cli.entry_points = entry_points
entry_points(group="ckan.plugins")
# CKAN's blankets ask who called them, for which Python looks at each module once.
inspect.stack()
# Without a plugin loaded, the modules above have filled it with CKAN's own validators.
clear_validators_cache()
# No process looks for garbage among all of these.
gc.collect()
gc.freeze()
