"""Who may call the actions of this feature. CKAN allows sysadmins everything."""

from __future__ import annotations

from ckanext.ukharvest.lib.auth import update_source

ukharvest_mail_show = update_source
ukharvest_mail_update = update_source
