"""A Finnish portal's types and options; its own hooks stay as they are, and are called.

In ckan.plugins: finnish_spatial finland
Setting: ckanext.ukharvest.hooks = finland_before:SykeHarvester
"""

from __future__ import annotations

from collections.abc import Sequence

import ckan.plugins as p

from ckanext.ukharvest.interfaces import IUkHarvest, Option


class FinlandPlugin(p.SingletonPlugin):
    p.implements(IUkHarvest, inherit=True)

    def source_type_aliases(self) -> dict[str, str]:
        return {"syke": "ckan", "hri": "ckan"}

    def source_options(self, own_type: str) -> Sequence[Option]:
        if own_type not in ("syke", "gemini-waf"):
            return ()
        help_ = "Licence of the datasets, by its id in the portal's list."
        return [Option("license", "text", "", help_, label="Licence of the portal")]
