"""A pycsw over the ISO records of a folder: `python serve.py RECORDS DATABASE`.

Run by the Python of pycsw's own environment. When ready, it prints its URL, on a free port, and the
number of its records. `PYCSW_CONFIG=SETTINGS python serve.py PORT` serves what a settings file
names, by pycsw's own WSGI application.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterable
from typing import Any
from wsgiref.simple_server import make_server

from pycsw.core import admin
from pycsw.core.config import StaticContext
from pycsw.server import Csw

TABLE = "records"
# Servers may return fewer records than requested; a reader has to count what it got.
MAX_RECORDS = "100"


def settings(database: str, url: str) -> dict[str, dict[str, str]]:
    """Return pycsw's configuration."""
    about = ("identification_title", "identification_abstract", "identification_keywords")
    about += ("identification_keywords_type", "identification_fees", "provider_name")
    about += ("identification_accessconstraints", "provider_url", "contact_name")
    about += ("contact_position", "contact_address", "contact_city", "contact_stateorprovince")
    about += ("contact_postalcode", "contact_country", "contact_phone", "contact_fax")
    about += ("contact_email", "contact_url", "contact_hours", "contact_instructions")
    return {
        "server": {
            "home": "",  # set by pycsw itself
            "url": url,
            "mimetype": "application/xml; charset=UTF-8",
            "encoding": "UTF-8",
            "language": "en-GB",
            "maxrecords": MAX_RECORDS,
            "profiles": "apiso",
        },
        "manager": {"transactions": "false"},
        "metadata:main": {
            **dict.fromkeys(about, "test"),
            "contact_role": "pointOfContact",
            "identification_keywords_type": "theme",
        },
        "metadata:inspire": {"enabled": "false"},
        "repository": {"database": database, "table": TABLE},
    }


def serve_records(folder: str, file: str) -> None:
    database = f"sqlite:///{file}"
    admin.setup_db(database, TABLE, "")
    held = admin.load_records(StaticContext(), database, TABLE, folder)

    def catalogue(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        csw = Csw(settings(database, url), environ, version="2.0.2")
        status, body = csw.dispatch_wsgi()
        start(status, [("Content-Type", csw.contenttype), ("Content-Length", str(len(body)))])
        return [body]

    server = make_server("127.0.0.1", 0, catalogue)
    url = f"http://127.0.0.1:{server.server_port}/csw"
    print(url, len(held), flush=True)
    server.serve_forever()


def serve_settings(port: str) -> None:
    from pycsw.wsgi import application  # reads the settings

    server = make_server("127.0.0.1", int(port), application)
    print(server.server_port, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING)
    (serve_settings if len(sys.argv) == 2 else serve_records)(*sys.argv[1:])
