"""The dataset form’s fields and choices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ckanext.ukharvest.fields import DATASET, FIELDS
from tests.ckan.forms import FORM, SCHEMING, SCHEMING_WITH, SCHEMING_WITHOUT
from tests.ckan.harvesting import extras

if TYPE_CHECKING:
    from playwright.sync_api import Page

KINDS: dict[str, tuple[str, dict[str, str]]] = {
    "CKAN's form": ("", {}),
    "ours": (FORM, {}),
    "scheming with our presets": (SCHEMING, SCHEMING_WITH),
    "scheming without them": (SCHEMING, SCHEMING_WITHOUT),
}
OF_DATASET = [field.key for field in FIELDS if field.of == DATASET]
OF_RESOURCE = [field.key for field in FIELDS if field.of != DATASET]


def facts(dataset: dict[str, Any]) -> dict[str, str]:
    """Return the fields of a dataset, wherever its schema has them."""
    found = {**extras(dataset), **{key: dataset[key] for key in OF_DATASET if dataset.get(key)}}
    resource = dataset["resources"][0]
    return {key: found[key] for key in OF_DATASET if key in found} | {
        key: resource[key] for key in OF_RESOURCE if key in resource
    }


SPEND = "http://schemas.opendata.esd.org.uk/Spend"


def choose(page: Page, field: str, words: str) -> None:
    """Choose by typing, which needs scripts."""
    box = page.locator(f".form-group:has(> .controls > #field-{field}) .select2-container")
    box.click()
    page.keyboard.type(words)
    # The service of this number, not the first that contains it.
    page.locator(".select2-results [role=option], .select2-result-selectable").filter(
        has_text=words
    ).first.click()
