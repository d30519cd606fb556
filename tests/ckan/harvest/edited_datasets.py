"""A source with one dataset, which people edit."""

from __future__ import annotations

from typing import Any

from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Portal, figures
from tests.publisher import Publisher

PATH = "/data.json"
# A dataset of which the source says next to nothing.
NOTHING: dict[str, Any] = {
    **dict.fromkeys(("description", "modified", "contactPoint", "license", "publisher")),
    "keyword": [],
}


class Source:
    """A source with one dataset.

    Args:
        options: of the source.
    """

    def __init__(self, portal: Portal, publisher: Publisher, **options: Any) -> None:
        self.portal = portal
        self.publisher = publisher
        self.id = portal.source(publisher.url(PATH), config=options)

    def harvest(self, *, force: bool = False, **fields: Any) -> dict[str, Any]:
        """Publish the dataset, run the source; return what package_show gives."""
        record = {key: value for key, value in dataset(0, **fields).items() if value is not None}
        self.publisher.serve(PATH, catalogue([record]))
        job = self.portal.run(self.id, force=force)
        assert figures(job).keys() <= {"added", "updated", "not modified"}
        (found,) = self.portal.datasets()
        return found
