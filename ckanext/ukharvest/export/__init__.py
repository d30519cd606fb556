"""The whole catalogue as files: all public datasets in several formats, and a manifest."""

from __future__ import annotations
