"""CKAN starts with our plugins behind those of CKAN's own lists, and with ckanext-envvars.

Plugins that ask CKAN for a validator or an action while they are imported fill CKAN's caches before
ours are registered: ``image_view``, ``datatables_view`` and ``datastore`` do.
"""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from ckan.exceptions import CkanConfigurationException
from ckan.plugins import toolkit as tk

from ckanext.ukharvest.harvesters.base import make_plugin
from ckanext.ukharvest.source_types import TYPES
from tests.ckan.harvesting import write_ini
from tests.ckan.processes import finish

pytestmark = pytest.mark.in_process

OURS = "ukharvest ukharvest_ckan ukharvest_data_json ukharvest_map_view harvest"
# Of the settings template that CKAN's guide uses, and of ckan-docker.
CKAN_LIST = "activity image_view text_view datatables_view datastore"
DOCKER_LIST = "image_view text_view datatables_view datastore"
DOCS = Path(__file__).parents[2] / "docs"


def line_of(page: str) -> str:
    """Return the plugins that a page of the documentation says to write."""
    return str(re.findall(r"^ckan\.plugins = (.+)$", (DOCS / page).read_text("utf-8"), re.M)[0])


# Another extension, whose module asks CKAN for one of each kind while it is imported.
EAGER = """
from ckan import authz, plugins
from ckan.plugins import toolkit as tk

tk.get_validator("not_empty")
tk.get_action("package_show")
authz.auth_functions_list()


class EagerPlugin(plugins.SingletonPlugin):
    plugins.implements(plugins.IConfigurer)

    def update_config(self, config):
        tk.get_validator("ukharvest_number")
        tk.get_action("ukharvest_type_list")
        assert "ukharvest_type_list" in authz.auth_functions_list()
"""
# Start CKAN as a web server does, and print what our settings and pages are then.
PROGRAM = """
import json
import sys

# As in a process of its own: preload.py has imported the DataStore.
for name in [name for name in sys.modules if name.startswith("ckanext.datastore")]:
    del sys.modules[name]
_, ini, folder = sys.argv
sys.path.insert(0, folder)
# The DataStore then does not check that it has databases and roles of its own.
sys.argv = ["paster", "datastore"]

from ckan.cli import load_config
from ckan.config.middleware import make_app
from ckanext.ukharvest import config
from ckanext.ukharvest.core.errors import ConfigError
from ckanext.ukharvest.core.vocabularies import vocabulary
from werkzeug.test import Client

app = make_app(load_config(ini))
try:
    secret = config.read_credential("council").host
except ConfigError:
    secret = None
print(json.dumps({
    "page": Client(app).get("/harvest").status_code,
    "contact": config.http_contact(),
    "vocabularies": str(vocabulary.folder()),
    "secret": secret,
}))
"""


class Portal:
    """A CKAN in a process of its own, whose plugins a test chooses."""

    def __init__(self, ini: str, folder: Path) -> None:
        self._ini = ini
        self.folder = folder

    def start(self, line: str) -> subprocess.CompletedProcess[str]:
        """Start it with this line ckan.plugins, and return what PROGRAM printed."""
        names = ("ckan.datastore.write_url", "ckan.datastore.read_url")
        urls = dict.fromkeys(names, str(tk.config["sqlalchemy.url"]))
        path = self.folder / "portal.ini"
        ini = write_ini(self._ini, {"ckan.plugins": line, **urls}, path)
        return finish([ini, str(self.folder)], self.folder, program=PROGRAM, check=False)


@pytest.fixture
def other_portal(ini: str, tmp_path: Path) -> Portal:
    return Portal(ini, tmp_path)


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(f"{CKAN_LIST} {OURS}", id="CKAN"),
        pytest.param(f"{DOCKER_LIST} envvars {OURS}", id="ckan-docker"),
        pytest.param(f"{DOCKER_LIST} {OURS} envvars", id="envvars-last"),
        pytest.param(f"envvars {DOCKER_LIST} {OURS}", id="envvars-first"),
        pytest.param(f"datastore {OURS}", id="datastore"),
        pytest.param(line_of("install.md"), id="install"),
        pytest.param(line_of("migrating.md"), id="migrating"),
    ],
)
def test_ckan_starts_with_our_plugins_last(other_portal: Portal, line: str) -> None:
    done = other_portal.start(line)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1])["page"] == 200


ADD_HARVEST = "needs the plugin 'harvest': add 'harvest' after"
ADD_OURS = "needs the plugin 'ukharvest': add 'ukharvest' before"


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        pytest.param("ukharvest ukharvest_ckan", f"{ADD_HARVEST} 'ukharvest_ckan'", id="harvest"),
        pytest.param(f"{CKAN_LIST} ukharvest", f"{ADD_HARVEST} 'ukharvest'", id="CKAN"),
        pytest.param("ukharvest_ckan harvest", f"{ADD_OURS} 'ukharvest_ckan'", id="ukharvest"),
        pytest.param(
            f"{DOCKER_LIST} harvest ukharvest_data_json envvars",
            f"{ADD_OURS} 'ukharvest_data_json'",
            id="ckan-docker",
        ),
        pytest.param("harvest ukharvest_form", f"{ADD_OURS} 'ukharvest_form'", id="form"),
        pytest.param("harvest ukharvest_map_view", f"{ADD_OURS} 'ukharvest_map_view'", id="map"),
    ],
)
def test_a_forgotten_plugin_is_named_at_start(
    other_portal: Portal, line: str, sentence: str
) -> None:
    done = other_portal.start(line)
    assert done.returncode == 1
    assert f"{sentence} in the line ckan.plugins." in done.stderr.splitlines()[-1]


def test_type_of_another_package_names_the_forgotten_plugin(
    ckan_config: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(ckan_config, "ckan.plugins", ["fords", "harvest"])
    fords = make_plugin(TYPES.ours["data_json"], __name__)
    with pytest.raises(CkanConfigurationException, match=f"'fords' {ADD_OURS} 'fords'"):
        fords(name="fords")


def test_ckan_starts_behind_a_plugin_that_fills_its_caches(other_portal: Portal) -> None:
    folder = other_portal.folder
    (folder / "eager.py").write_text(EAGER)
    (folder / "eager-1.dist-info").mkdir()
    (folder / "eager-1.dist-info" / "METADATA").write_text("Name: eager\nVersion: 1\n")
    entry_point = "[ckan.plugins]\neager = eager:EagerPlugin\n"
    (folder / "eager-1.dist-info" / "entry_points.txt").write_text(entry_point)
    done = other_portal.start(f"eager {OURS}")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("line", "variable"),
    [
        pytest.param(f"{DOCKER_LIST} {OURS} envvars", "", id="last"),
        pytest.param(f"{DOCKER_LIST} envvars {OURS}", "", id="ckan-docker"),
        pytest.param(f"envvars {DOCKER_LIST} {OURS}", "", id="first"),
        pytest.param("envvars", f"{DOCKER_LIST} {OURS} envvars", id="with-the-plugins"),
    ],
)
def test_environment_variables_alone_set_options_and_secrets(
    other_portal: Portal,
    line: str,
    variable: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if variable:
        monkeypatch.setenv("CKAN__PLUGINS", variable)
    monkeypatch.setenv("CKANEXT__UKHARVEST__HTTP__CONTACT", "data@example.gov.uk")
    monkeypatch.setenv("CKANEXT__UKHARVEST__VOCABULARIES", str(tmp_path))
    secret = "https://data.example.gov.uk basic reader:secret"
    monkeypatch.setenv("CKANEXT__UKHARVEST__CREDENTIALS__COUNCIL", secret)
    done = other_portal.start(line)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == {
        "page": 200,
        "contact": "data@example.gov.uk",
        "vocabularies": str(tmp_path),
        "secret": "data.example.gov.uk",
    }


@pytest.mark.parametrize("line", [f"{OURS} envvars", f"envvars {OURS}"], ids=["last", "first"])
def test_a_wrong_environment_variable_ends_the_start(
    other_portal: Portal, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CKANEXT__UKHARVEST__NAV", "visitors")
    done = other_portal.start(line)
    assert done.returncode == 1
    assert "ckanext.ukharvest.nav = visitors: expected one of" in done.stderr
