"""A portal with further rows in ``fields.FIELDS``, as if they stood in the file.

``python -m tests.ckan.with_field INI`` reads a JSON object: ``rows`` (Python text of rows) and
``dataset`` (for ``package_create``). It prints JSON: ``stored`` (the dataset), ``pages`` (label →
text), ``search`` (of ``package_search``), ``exported`` (entry of data.json), ``losses`` of DCAT-AP,
and ``files`` (path → text as ``bin/docs`` makes it).
"""

from __future__ import annotations

import json
import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import spec_from_loader
from typing import Any

NAME = "ckanext.ukharvest.fields"
INI = sys.argv[1]
GIVEN = json.load(sys.stdin)
END = "    ),\n)\n\n\ndef _facets"


class WithRows(SourceFileLoader):
    """Loads the module with further rows at the end of its table."""

    def get_data(self, path: str) -> bytes:
        """Return the source, never the compiled file."""
        if not path.endswith(".py"):
            raise OSError
        text = super().get_data(path).decode()
        assert text.count(END) == 1
        return text.replace(END, END.replace(")\n\n\n", f"{GIVEN['rows']})\n\n\n")).encode()

    def set_data(self, *_args: Any, **_kwargs: Any) -> None:
        """Keep no compiled file of what no file has."""


class Finder(MetaPathFinder):
    """Finds the module of the fields by ``WithRows``."""

    def find_spec(self, name: str, path: Any = None, _target: Any = None) -> ModuleSpec | None:
        """Return the fields' own spec, and leave others to Python."""
        if name != NAME:
            return None
        found = PathFinder.find_spec(name, path)
        assert found
        assert found.origin
        return spec_from_loader(name, WithRows(name, found.origin))


sys.meta_path.insert(0, Finder())

from ckan.cli import load_config  # noqa: E402
from ckan.config.middleware import make_app  # noqa: E402
from ckan.tests.helpers import CKANTestApp, call_action  # noqa: E402

from ckanext.ukharvest.export import data_json, losses  # noqa: E402
from ckanext.ukharvest.export.dataset import Catalogue, read  # noqa: E402
from tests.mutants import ROOT  # noqa: E402

sys.path.insert(0, str(ROOT / "dev"))
from docs.lists import lists  # noqa: E402


def main() -> None:
    """Do all of it."""
    conf = load_config(INI)
    conf["ckan.plugins"] = conf["ckan.plugins"].replace(
        "ukharvest ", "ukharvest ukharvest_form ", 1
    )
    app = CKANTestApp(make_app(conf))
    with app.flask_app.test_request_context():
        stored = call_action("package_create", {"ignore_auth": True}, **GIVEN["dataset"])
    facets = GIVEN["facets"]
    with app.flask_app.test_request_context():
        search = call_action("package_search", {"ignore_auth": True}, **{"facet.field": facets})
    name, file = stored["name"], stored["resources"][0]["id"]
    pages = {
        "form": f"/dataset/edit/{name}",
        "file form": f"/dataset/{name}/resource/{file}/edit",
        "dataset": f"/dataset/{name}",
        "file": f"/dataset/{name}/resource/{file}",
        "search": "/dataset/",
    }
    catalogue = Catalogue("https://portal.example", "Portal", "", "")
    report = {
        "stored": stored,
        "search": search["search_facets"],
        "pages": {
            label: str(app.get(path, headers=GIVEN["headers"]).body)
            for label, path in pages.items()
        },
        "exported": data_json.entry(read(stored, catalogue)),
        "losses": list(losses.losses_of(losses.RDF)),
        "files": {str(path.relative_to(ROOT)): text for path, text in lists().items()},
    }
    print(f"\n{json.dumps(report)}")  # noqa: T201


if __name__ == "__main__":
    main()
