"""Stars need the right to read the dataset."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.in_process
