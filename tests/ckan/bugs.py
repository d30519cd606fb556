"""Bugs in our own code, for the processes that run FAULTY_PROGRAM (tests/ckan/processes.py)."""

import dataclasses
import os
import signal
import time
from pathlib import Path
from typing import Any

from ckanext.ukharvest import source_types
from ckanext.ukharvest.parsers.data_json import parser as datajson

_parse = datajson.parse


def _hang() -> None:
    """Hang the main thread until the test makes this file; other threads continue."""
    go_on = Path(os.environ.get("UKHARVEST_TEST_GO_ON", "/nowhere"))
    end = time.monotonic() + 600
    while not go_on.exists() and time.monotonic() < end:
        time.sleep(0.2)


def _fail(raw: Any, options: Any) -> Any:
    if "Make the parser fail" in raw.content:
        raise ZeroDivisionError("a bug that a test put here")
    if "Make the parser hang" in raw.content:
        _hang()
    if "Kill around the index" in raw.content:
        _kill_around_the_index()
    record = _parse(raw, options)
    if "Make the writer hang" in raw.content:
        _hang_with_the_lock()
    return record


def _hang_with_the_lock() -> None:
    from ckanext.ukharvest.harvest.records import record_rows

    lock_rows = record_rows.lock_rows

    def hang(object_ids: Any) -> Any:
        found = lock_rows(object_ids)
        _hang()
        return found

    record_rows.lock_rows = hang


def _kill_around_the_index() -> None:
    """End the process, like kill -9, after the search index was asked about a dataset."""
    from ckan.lib.search.index import PackageSearchIndex

    index_package = PackageSearchIndex.index_package

    def killed(self: Any, pkg_dict: Any, *args: Any, **more: Any) -> None:
        if "Kill before the index" not in pkg_dict["title"]:
            index_package(self, pkg_dict, *args, **more)
        os.kill(os.getpid(), signal.SIGKILL)

    PackageSearchIndex.index_package = killed


datajson.parse = _fail


_guid = source_types.DATA_JSON.reader.guid


def _end(item: Any) -> str:
    if item.get("identifier") == "End the process":
        os.kill(os.getpid(), signal.SIGSEGV)
    return _guid(item)


object.__setattr__(
    source_types.DATA_JSON, "reader", dataclasses.replace(source_types.DATA_JSON.reader, guid=_end)
)
