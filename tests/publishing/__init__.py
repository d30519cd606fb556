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

The HTTP server is ``tests.publisher.Publisher``. A new source type adds its module, whose service
has the type's name in capitals.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from ckanext.ukharvest.source_types import TYPES
from tests.publishing.service import Service


def _services() -> dict[str, Service]:
    """Return source type → its service: GEMINI_CSW of whichever module here is gemini-csw's."""
    modules = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]
    found = {}
    for name in sorted(TYPES.ours):
        constant = name.upper().replace("-", "_")
        values = (vars(module).get(constant) for module in modules)
        services = [value for value in values if isinstance(value, Service)]
        found |= {name: services[0]} if services else {}
    return found


SERVICES = _services()
