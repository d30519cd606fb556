"""Tell globally unique identifiers (URIs, UUIDs, DOIs) from local ones.

Publishers should use URIs or UUIDs, but many number their datasets: "1" or "parking" repeats
between publishers and means nothing outside its own source. The length of an identifier is no
evidence: "public-conveniences-locations" is long, and every council has one.
"""

from __future__ import annotations

import re

# As CKAN and catalogues write it.
UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
# With or without hyphens and braces; SHA-1 and longer digests pass too.
_ANY_UUID = re.compile(
    r"(?<![0-9a-f])[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}(?:[0-9a-f]{8,})?(?![0-9a-f])",
    re.IGNORECASE,
)
# Schemes whose authority assigns each name only once.
_URI = re.compile(r"(?:https?://[^/\s]+\.[^/\s]+/?|(?:urn|doi|hdl|ark|info|tag|oai):)\S+", re.I)


def is_globally_unique(guid: str) -> bool:
    """Tell whether the same identifier in two sources must mean the same dataset."""
    return bool(_ANY_UUID.search(guid) or _URI.match(guid.strip()))
