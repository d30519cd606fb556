"""What all features share: texts, pages, parameters of actions, permissions, output of commands."""

from __future__ import annotations
