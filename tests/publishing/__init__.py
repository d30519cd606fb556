"""One family of fake publishers for all source types.

``records.Record`` is a neutral record. Each module here writes it as publishers of one protocol do,
and has a ``Service``: what it answers to a request about a ``listing.Listing``, which says what is
on each page, and how many records are announced. ``SERVICES`` has the service of each source type.

- ``service.fixed`` serves records in two pages, at exactly the addresses that a reader requests.
  ``tests.contract.SERVERS`` makes them for the contract, the faults and the forged requests.
- ``Service.serve`` answers any request. ``listing.FAULTY`` are pages that do not fit together, and
  the demo serves its records this way.
- ``faults.play`` breaks the answers of a publisher that serves by either.
- ``csw.Catalogue``, ``oaipmh.Repository``, ``opensearch.Search`` and ``sparql.Endpoint`` are whole
  servers, whose switches the tests of the readers use.
- ``files`` makes the files behind a record's links, and ``wms`` draws maps.
- ``catalogues`` makes catalogues of any size, for storms and the benchmark.

The HTTP server is ``tests.publisher.Publisher``. A new source type adds its module, and its line
below.
"""

from __future__ import annotations

from tests.publishing.csw import GEMINI_CSW
from tests.publishing.data_json import DATA_JSON
from tests.publishing.dataset_table import DATASET_TABLE
from tests.publishing.dcat import DCAT_RDF
from tests.publishing.gemini import GEMINI_SINGLE
from tests.publishing.inventory import INVENTORY
from tests.publishing.oaipmh import OAIPMH
from tests.publishing.ods import ODS
from tests.publishing.opensearch import OPENSEARCH
from tests.publishing.packages import CKAN, DKAN
from tests.publishing.service import Service
from tests.publishing.sparql import SPARQL
from tests.publishing.waf import GEMINI_WAF

SERVICES: dict[str, Service] = {
    "ckan": CKAN,
    "data_json": DATA_JSON,
    "dataset_table": DATASET_TABLE,
    "dcat_rdf": DCAT_RDF,
    "dkan": DKAN,
    "gemini-csw": GEMINI_CSW,
    "gemini-single": GEMINI_SINGLE,
    "gemini-waf": GEMINI_WAF,
    "inventory": INVENTORY,
    "oaipmh": OAIPMH,
    "ods": ODS,
    "opensearch": OPENSEARCH,
    "sparql": SPARQL,
}
