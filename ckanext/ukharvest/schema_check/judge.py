"""Check data against a schema in this process; ``check.check_data`` does it in one of its own."""

from __future__ import annotations

from typing import IO

from ckanext.ukharvest.schema_check import (
    csvlint,
    json_check,
    schema_file,
    table_check,
    table_schema,
    xml_check,
)
from ckanext.ukharvest.schema_check.collector import Collector


def judge(data: IO[bytes], schema: bytes | None, collector: Collector) -> None:
    """Check a file, and pass on what is found.

    Args:
        data: the file, seekable.
        schema: the schema; None only for GeoJSON.

    Raises:
        Unchecked: nothing can be said about the data.
        Stopped: a limit ended the check.
    """
    if schema is None:
        collector.set_schema_type("geojson")
        json_check.check(data, None, collector)
        return
    found = schema_file.read(schema, collector)
    if found.type == schema_file.XSD:
        xml_check.check(data, found.document, collector)
    elif found.type == schema_file.JSON_SCHEMA:
        json_check.check(data, found.document, collector)
    else:
        read = csvlint.read if found.type == schema_file.CSVLINT else table_schema.read
        table_check.check(data, read(found.document, collector), collector)
