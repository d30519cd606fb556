"""Texts that attack a page."""

from __future__ import annotations

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    'https://host.example/"onmouseover="alert(1)',
    "https://host.example/<script>",
    "{0.__class__}",
    "%(x)s",
)
