"""Send operations of a CSW by one of its bindings."""

from __future__ import annotations

from collections.abc import Collection

from ckanext.ukharvest.core.http.client import HttpClient, Reply
from ckanext.ukharvest.readers.csw import soap
from ckanext.ukharvest.readers.csw.request import Operation
from ckanext.ukharvest.readers.csw.response import Send
from ckanext.ukharvest.readers.csw.ways import Binding
from ckanext.ukharvest.readers.xml_document.records import ACCEPT


def sender(http: HttpClient, base: str, binding: Binding, operation: Operation) -> Send:
    """Return what sends an operation.

    Args:
        base: the source's own URL, for a binding without one.
    """
    url = binding.url or base

    def get(*, allow_status: Collection[int]) -> Reply:
        return http.get(url, params=operation.query, accept=ACCEPT, allow_status=allow_status)

    def post(*, allow_status: Collection[int]) -> Reply:
        return http.post(
            url,
            body=operation.body,
            content_type="application/xml",
            accept=ACCEPT,
            allow_status=allow_status,
            idempotent=True,
        )

    def post_envelope(*, allow_status: Collection[int]) -> Reply:
        version = soap.VERSIONS[binding.method]
        return http.post(
            url,
            body=soap.wrap(operation.body, version),
            content_type=version.content_type,
            headers=version.headers,
            accept=soap.ACCEPT,
            allow_status=allow_status,
            idempotent=True,
        )

    if binding.is_soap:
        return post_envelope
    return get if binding.method == "GET" else post
