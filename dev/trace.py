"""Count our files that pages and an import run through: python3 dev/trace.py empties a portal."""

# ruff: noqa: I001, PLC0415 - in CKAN's environment; CKAN puts a folder on the path that has tests
from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

HERE, OURS, PAGE = Path(__file__).parent, "/ckanext/ukharvest/", "/harvest/traced"
sys.path[:0] = [str(HERE), str(HERE / "bench"), str(HERE.parent)]


def trace(name: str, call: Any, *arguments: Any, **more: Any) -> None:
    """Print our files, templates included, of which a call runs a function."""
    files: set[str] = set()

    def note(frame: Any, event: str, _value: Any) -> None:
        if event == "call" and OURS in frame.f_code.co_filename:
            files.add(frame.f_code.co_filename.partition(OURS)[2])

    sys.setprofile(note)
    call(*arguments, **more)
    sys.setprofile(None)
    print(f"{name}: {len(files)}", *sorted(files), sep="\n  ")


def inside(ini: str) -> None:
    """Trace an import, and the pages of its source and run for an editor, inside CKAN."""
    from tests.ckan.catalogues import catalogue, dataset
    from tests.ckan.people import member
    from tests.publisher import Publisher
    import inside as ckan

    app = ckan.make_app(ckan.load_config(ini))._wsgi_app
    with app.test_request_context(), Publisher() as web:
        web.serve("/data.json", catalogue([dataset(1, title=""), dataset(2, modified="soon")]))
        source = ckan.source("traced", web.url("/data.json"), "data_json")["id"]
        stage = ckan.queue.fetch_and_import_stages
        ckan.queue.fetch_and_import_stages = lambda *of: trace("Import of a record", stage, *of)
        ckan.inline(source)
        job = ckan.model.Session.query(ckan.HarvestJob).one().id
        headers = member({"id": "bench"})["headers"]
    client = app.test_client()
    for name, path in (("Source page", PAGE), ("Run page", f"{PAGE}/job/{job}")):
        client.get(path, headers=headers)  # compiles the templates
        trace(name, client.get, path, headers=headers)


if sys.argv[1:]:
    inside(sys.argv[1])
else:
    from bench import portals
    from stack import site, venv

    portal = portals.Portal(site.ensure_site(purpose="bench"), portals.OURS)
    portal.prepare()
    program, environment = venv.program("python"), venv.environment_of_ckan()
    subprocess.run([program, __file__, portal.ini()], check=True, env=environment, cwd="/")
