"""What tests use of dev/: nginx, pycsw, RabbitMQ, a browser, and catalogues of any size."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "dev"))

from bench import catalogues  # noqa: E402
from stack import browser, console, nginx, postgres, pycsw, rabbitmq, site, state  # noqa: E402

__all__ = [
    "browser",
    "catalogues",
    "console",
    "nginx",
    "postgres",
    "pycsw",
    "rabbitmq",
    "site",
    "state",
]
