"""Who may call the actions of this feature. CKAN allows sysadmins everything."""

from __future__ import annotations

from ckanext.ukharvest.lib.auth import update_source_or_sysadmin

ukharvest_value_list = update_source_or_sysadmin
ukharvest_value_update = update_source_or_sysadmin
