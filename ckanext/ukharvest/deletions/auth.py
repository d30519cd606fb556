"""Who may call the actions of this feature. CKAN allows sysadmins everything."""

from __future__ import annotations

from ckanext.ukharvest.lib.auth import administer_source, update_source

ukharvest_pending_decide = administer_source
ukharvest_pending_list = update_source
