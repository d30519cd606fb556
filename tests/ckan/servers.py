"""Real servers of other people's making, for tests that harvest from them: nginx and pycsw."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "dev"))

from stack import nginx, pycsw  # noqa: E402

__all__ = ["nginx", "pycsw"]
