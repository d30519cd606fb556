"""Servers that only tests need, such as nginx and RabbitMQ; and what tests use of dev/stack."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ckan.config.middleware import make_app
from werkzeug.serving import make_server

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "dev"))

from stack import console, postgres, site, state  # noqa: E402

from tests.ckan.servers import browser, nginx, oxigraph, pycsw, rabbitmq  # noqa: E402

__all__ = [
    "browser",
    "console",
    "nginx",
    "own_site",
    "oxigraph",
    "postgres",
    "pycsw",
    "rabbitmq",
    "services_of_tests",
    "state",
]


def services_of_tests(ckan_config: Any) -> tuple[Any, ...]:
    """Return the portal's PostgreSQL, Redis and Solr, which tests may stop; none if not theirs."""
    sites = {each.name: each for each in site.sites_of_tests()}
    own = sites.get(ckan_config["ckan.site_id"])
    return own.services if own else ()


@contextmanager
def own_site(ckan_config: Any) -> Iterator[str]:
    """Serve the portal itself, to be harvested as another CKAN; yield host and port."""
    server = make_server("127.0.0.1", 0, make_app(ckan_config), threaded=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
