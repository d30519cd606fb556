"""What the trials of .ci/install and .ci/docker share: an organisation, and a publisher."""

import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

_SAMPLE = Path(__file__).resolve().parent.parent / "tests" / "sources" / "pod-1.1-full"
# A program: the documents leave the organisation of a source to the portal's pages.
ORGANISATION = """
import os
from ckan.cli import load_config
from ckan.config.middleware import make_app
import ckan.plugins.toolkit as tk
with make_app(load_config(os.environ["CKAN_INI"]))._wsgi_app.test_request_context():
    context = {"ignore_auth": True, "user": "admin"}
    tk.get_action("organization_create")(context, {"name": "council", "title": "Council"})
"""


@contextmanager
def publisher() -> Iterator[str]:
    """Serve the sample's data.json, which has two datasets, and yield its URL."""
    handler = partial(http.server.SimpleHTTPRequestHandler, directory=str(_SAMPLE))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/data.json"
