"""Who may call the actions of this feature."""

from __future__ import annotations

from ckanext.ukharvest.lib.auth import only_sysadmins

ukharvest_source_approve = only_sysadmins
ukharvest_source_refuse = only_sysadmins
