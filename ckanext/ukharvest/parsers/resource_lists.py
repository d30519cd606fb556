"""Resources of one record, from several of its fields."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ckanext.ukharvest.core.records import ResourceRecord


def without_repeats(
    files: Sequence[ResourceRecord], pages: Iterable[ResourceRecord]
) -> tuple[ResourceRecord, ...]:
    """Return the files, and those pages and links whose URL is not already listed.

    A record may tell one link in two fields; files are its own list, which keeps what it repeats.
    """
    found = list(files)
    seen = {file.url for file in files}
    for page in pages:
        if page.url not in seen:
            found.append(page)
        seen.add(page.url)
    return tuple(found)
