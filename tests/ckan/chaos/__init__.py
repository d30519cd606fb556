"""Faults of processes and services, and proof that nothing came of them."""

import pytest

pytest.register_assert_rewrite("tests.ckan.chaos")
