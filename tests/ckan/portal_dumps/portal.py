"""The portal of a dump: a source of every type, and one for every kind of problem."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from tests.ckan.catalogues import catalogue, dataset
from tests.contract import SERVERS, Item, items
from tests.publisher import Publisher

HELD, FAULTY = "held", "faulty"  # names of sources with pending deletions, and with problems
RECORDS, GONE, LEFT = 4, 8, 2
CATALOGUE = "/data.json"


@contextmanager
def publishers() -> Iterator[dict[str, Publisher]]:
    """A publisher for each source, by the source's name."""
    with ExitStack() as stack:
        names = (*sorted(SERVERS), HELD, FAULTY)
        yield {name: stack.enter_context(Publisher()) for name in names}


def places(found: dict[str, Publisher]) -> dict[str, str]:
    """Return each publisher's URL → its placeholder in a dump."""
    return {publisher.url(""): f"http://{name}.here" for name, publisher in found.items()}


def serve_last(found: dict[str, Publisher]) -> None:
    """Serve what each publisher served last before the dump was written."""
    for type_, serve in SERVERS.items():
        serve(found[type_], changed())
    found[HELD].serve(CATALOGUE, catalogue(LEFT))
    found[FAULTY].serve(CATALOGUE, catalogue([dataset(100), faulty()]))


def changed() -> list[Item]:
    """Return the records, one of them changed."""
    *others, last = items(RECORDS)
    return [*others, Item(last.number, title=last.title, description="Another description.")]


def faulty() -> dict[str, object]:
    """Return a record that is imported with a problem."""
    return dataset(101, modified="the tenth of Brumaire")
