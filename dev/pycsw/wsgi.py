"""pycsw's own WSGI application with settings of its own: `PYCSW_CONFIG=… python wsgi.py PORT`."""

from __future__ import annotations

import logging
import sys
from wsgiref.simple_server import make_server

from pycsw.wsgi import application


def main() -> None:
    logging.basicConfig(level=logging.WARNING)
    server = make_server("127.0.0.1", int(sys.argv[1]), application)
    print(server.server_port, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
