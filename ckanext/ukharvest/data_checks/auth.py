"""Who may call the actions of this feature. CKAN allows sysadmins everything."""

from __future__ import annotations

from ckanext.ukharvest.lib.auth import anyone, read_resource

ukharvest_data_check_list = anyone

ukharvest_data_check_show = read_resource
