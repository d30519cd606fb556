"""The benchmark's publisher as a process: `python serve.py`, with a URL as its first line.

A POST of {"format_", "name", "count", …} to /_control serves a catalogue of
``tests.publishing.catalogues`` and answers with its path; one without values serves nothing more.
"""

from __future__ import annotations

import json
import sys
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "dev"), str(ROOT)]

from tests.publisher import Publisher, Request, Response  # noqa: E402
from tests.publishing import catalogues  # noqa: E402
from tests.publishing.service import json_response  # noqa: E402

from demo.publishers import CONTROL  # noqa: E402


def main() -> None:
    with Publisher() as server:

        def obey(request: Request) -> Response:
            wanted = json.loads(request.body)
            if not wanted:
                server.routes = {f"POST {CONTROL}": obey}
                return json_response("")
            server.requests.clear()
            server.routes.update(catalogues.routes(**wanted))
            return json_response(catalogues.path_of(wanted["format_"], wanted["name"]))

        server.routes = {f"POST {CONTROL}": obey}
        print(server.base, flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
