"""Which identifiers can be held to be the only one of their kind in the world.

Publishers are told to use URIs or UUIDs, and many number their datasets instead: "1" or "parking"
repeats between publishers and means nothing outside its own source. The length of an identifier
is no evidence: "public-conveniences-locations" is long, and every council has one.
"""

from __future__ import annotations

import re

# With or without hyphens and braces; SHA-1 and longer digests are as good.
_UUID = re.compile(
    r"(?<![0-9a-f])[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}(?:[0-9a-f]{8,})?(?![0-9a-f])",
    re.IGNORECASE,
)
# Schemes with somebody behind them who gives names out only once.
_URI = re.compile(r"(?:https?://[^/\s]+\.[^/\s]+/?|(?:urn|doi|hdl|ark|info|tag|oai):)\S+", re.I)


def is_globally_unique(guid: str) -> bool:
    """Tell whether the same identifier in two sources has to mean the same dataset."""
    return bool(_UUID.search(guid) or _URI.match(guid.strip()))
