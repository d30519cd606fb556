"""Helpers for tests of source types, also those of other distributions; need pytest.

Part of the interface for source types (``source_types.INTERFACE``).
"""

import pytest

# Before either is imported: their asserts say what differs, as those of a test module do.
pytest.register_assert_rewrite(f"{__name__}.contract", f"{__name__}.portal")
