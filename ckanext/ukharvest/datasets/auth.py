"""Who may call the actions of this feature. CKAN allows sysadmins everything."""

from __future__ import annotations

from ckanext.ukharvest.lib.auth import read_dataset

ukharvest_dataset_show = read_dataset
ukharvest_dataset_change_list = read_dataset
