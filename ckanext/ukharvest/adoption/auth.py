"""Who may call the actions of this feature. CKAN allows sysadmins everything."""

from __future__ import annotations

from ckanext.ukharvest.lib.auth import only_sysadmins

ukharvest_source_adopt = only_sysadmins
