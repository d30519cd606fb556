"""Servers that tests use: nginx and pycsw, and a browser."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "dev"))

from stack import browser, nginx, pycsw, rabbitmq, site, state  # noqa: E402

__all__ = ["browser", "nginx", "pycsw", "rabbitmq", "site", "state"]
