"""Other forms of the URL of a schema in the LGA's register."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

_LGA = ("schemas.opendata.esd.org.uk", "csvchecker.opendata.esd.org.uk") + (
    "validator.opendata.esd.org.uk",
    "schemas.esd.org.uk",  # the first one, in DataShare's inventories
)


def forms(url: str) -> Iterator[str]:
    """Yield the URLs under which a schema may be in the register, the nearest first.

    For any URL this is the same without its query; for the LGA's servers also the schema's page:
    ``schemas.opendata.esd.org.uk/Spend`` for a file below it (``…/Spend/Spend.json?v=0.41``), for
    the validators' pages (``validator.…/spend``), and for the checker's downloads
    (``csvchecker.…/schema/downloadjsonschema?schemaId=spend&…``).
    """
    try:
        parts = urlsplit(url.strip())
        host = (parts.hostname or "").lower()
    except ValueError:
        return
    yield f"{parts.scheme}://{parts.netloc}{parts.path}"
    if host not in _LGA:
        return
    asked = {key.lower(): value for key, value in parse_qs(parts.query).items()}
    for name in (*asked.get("schemaid", ()), parts.path.strip("/").partition("/")[0]):
        yield f"http://{_LGA[0]}/{name}"
