"""Actions of links check the user."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.in_process
