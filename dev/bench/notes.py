"""Why a target is missed, where it is: shown below the case in docs/performance.md."""

from __future__ import annotations

# Title of a case → one sentence or two with the measured reason, and what was tried.
NOTES: dict[str, str] = {}
