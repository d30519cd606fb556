"""Who may call the actions of this feature. CKAN allows sysadmins everything."""

from __future__ import annotations

from ckanext.ukharvest.lib.auth import only_sysadmins, update_source

ukharvest_source_adopt = only_sysadmins
ukharvest_dataset_attach = update_source  # the action checks each dataset too
