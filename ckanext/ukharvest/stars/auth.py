"""Who may call the actions of this feature. CKAN allows sysadmins everything."""

from __future__ import annotations

from ckanext.ukharvest.lib.auth import anyone, read_dataset

ukharvest_stars_list = anyone

ukharvest_stars_show = read_dataset
