"""The table of forged requests: how a publisher, or who writes a URL, tries to reach inside.

An attack gives a URL to start from, or changes the publisher's answers. None may make a feature
open a connection to the canary. Add an attack here, and every kind of feature is tested against it.
"""

from __future__ import annotations

from tests.security.forged_documents import DOCUMENTS
from tests.security.forged_urls import DNS, REDIRECTED_URLS, REDIRECTS, SOURCE_URLS

SPELLINGS = (*SOURCE_URLS, *REDIRECTED_URLS)
ATTACKS = (*SPELLINGS, *REDIRECTS, *DNS, *DOCUMENTS)
