"""A reader of a folder of files that can be killed."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Generator, Iterator
from typing import Any

from ckanext.ukharvest.core.records import Ending, RawRecord, Source
from tests.ckan.catalogues import dataset

FOLDER = "http://folder.example/"


class Killed(BaseException):
    """Stands for the end of the process."""


class Folder:
    """A reader of a folder: number of a file → version and fields of its dataset.

    Attributes:
        told: the source that each read got.
        read: numbers of the files that the last read or fetch loaded.
        second: number of a file → number of a second dataset in it.
        is_listing: only list the records, with the version as stamp.
        breaks: number before which the next read is killed.
    """

    def __init__(self, count: int) -> None:
        self.files: dict[int, tuple[str, dict[str, Any]]] = {n: ("1", {}) for n in range(count)}
        self.told: list[Source] = []
        self.read: list[int] = []
        self.second: dict[int, int] = {}
        self.is_listing = False
        self.believes_all = False
        self.breaks = -1

    def records(self, source: Source) -> Generator[RawRecord, None, Ending]:
        self.told.append(source)
        self.read = []
        behind = int(source.resume) if source.resume else -1
        for number in [number for number in self.files if number > behind]:
            if number == self.breaks:
                self.breaks = -1
                raise Killed
            yield from self._records(number, source)
        return Ending(complete=True)

    def _records(self, number: int, source: Source) -> Iterator[RawRecord]:
        url, version = address(number), self.files[number][0]
        listed = RawRecord(guid(number), url=url, resume=str(number))
        copy = source.copies.get(url)
        if self.is_listing:
            yield dataclasses.replace(listed, modified=version)
        elif self.believes_all or (copy and copy.etag == version):
            yield dataclasses.replace(listed, etag=version, unchanged=True)
        else:
            yield self.fetch(source, listed)
            if number in self.second:
                other = json.dumps(dataset(self.second[number]))
                yield RawRecord(guid(self.second[number]), other, url=url, etag=version)

    def fetch(self, _source: Source, raw: RawRecord) -> RawRecord:
        number = int(raw.url.rpartition("/")[2])
        self.read.append(number)
        version, fields = self.files[number]
        stamp = {"modified": version} if self.is_listing else {"etag": version}
        content = json.dumps(dataset(number, **fields))
        return dataclasses.replace(raw, content=content, unchanged=False, **stamp)


def address(number: int) -> str:
    return f"{FOLDER}{number}"


def guid(number: int) -> str:
    return str(dataset(number)["identifier"])
