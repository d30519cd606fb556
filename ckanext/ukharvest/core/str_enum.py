"""``enum.StrEnum`` of Python 3.11, for CKAN on Python 3.10."""

from __future__ import annotations

import enum


class StrEnum(str, enum.Enum):
    """An enum whose members are texts: compared, stored and written as their values."""

    def __str__(self) -> str:
        return str(self.value)

    def __format__(self, format_spec: str) -> str:
        return format(str(self.value), format_spec)
