"""Read a response's body into a file, unpacked, up to a size limit.

Unpacking is done here, not by urllib3, because its older versions unpack a whole network read at
once: a few kilobytes can become gigabytes before they can be counted.
"""

from __future__ import annotations

import io
import tempfile
import zlib
from collections.abc import Iterable, Iterator
from typing import IO, cast

from urllib3 import BaseHTTPResponse

from ckanext.ukharvest.core.errors import FetchError, TooLarge
from ckanext.ukharvest.core.http.credentials import Secrets
from ckanext.ukharvest.core.http.urls import safe_url
from ckanext.ukharvest.core.messages import Message

ACCEPT_ENCODING = "gzip, deflate"
IN_MEMORY = 5 * 1024 * 1024  # bytes; a larger body goes to a temporary file
PIECE = 64 * 1024  # bytes read or unpacked at a time

_PACKED = {"gzip", "x-gzip", "deflate"}
_UNREADABLE = {"br", "zstd", "compress", "x-compress", "dcb", "dcz"}
_GZIP = b"\x1f\x8b"


def read(response: BaseHTTPResponse, url: str, max_bytes: int, secrets: Secrets) -> IO[bytes]:
    """Return the response's body, unpacked and without secrets, at position 0.

    Raises TooLarge when its actual or declared size is above ``max_bytes``; FetchError when it
    cannot be unpacked; urllib3's errors when the connection fails.
    """
    declared = response.headers.get("Content-Length", "")
    if declared.isdecimal() and (len(declared) > 18 or int(declared) > max_bytes):
        raise _too_large(url, max_bytes, declared)
    file = _stored(secrets.clean_pieces(_pieces(response, url)), url, max_bytes)
    response.read(1, decode_content=False)  # nothing is left; this returns the connection for reuse
    return file


def read_first(response: BaseHTTPResponse, url: str, size: int, secrets: Secrets) -> IO[bytes]:
    """Do the same for the first ``size`` bytes of the body, or all of a shorter body.

    Raises FetchError when they cannot be unpacked; urllib3's errors when the connection fails.
    """
    head = bytearray()
    for piece in secrets.clean_pieces(_pieces(response, url)):
        head += piece
        if len(head) >= size:
            break
    return io.BytesIO(bytes(head[:size]))


def _pieces(response: BaseHTTPResponse, url: str) -> Iterator[bytes]:
    chunks = response.stream(PIECE, decode_content=False)
    if _is_packed(response.headers.get("Content-Encoding", ""), url):
        chunks = _unpacked(chunks)
    try:
        yield from chunks
    except zlib.error as exc:
        raise FetchError(
            Message(
                "{url} cannot be unpacked: it is not the complete gzip data that it says.",
                url=safe_url(url),
            ),
            code="bad-encoding",
            url=safe_url(url),
        ) from exc


def _stored(pieces: Iterable[bytes], url: str, max_bytes: int) -> IO[bytes]:
    """Return a file of the pieces. No SpooledTemporaryFile: Python 3.10's lacks seekable()."""
    file: IO[bytes] = io.BytesIO()
    size = 0
    try:
        for piece in pieces:
            size += len(piece)
            if size > max_bytes:
                raise _too_large(url, max_bytes)
            if size > IN_MEMORY and isinstance(file, io.BytesIO):
                memory = file.getbuffer()
                file = cast(IO[bytes], tempfile.TemporaryFile())  # noqa: SIM115  # closed by the reply
                file.write(memory)
            file.write(piece)
    except BaseException:
        file.close()
        raise
    file.seek(0)
    return file


def _is_packed(header: str, url: str) -> bool:
    """Read Content-Encoding; unknown names (a server's "utf-8", "none") count as not packed."""
    names = [name for name in (part.strip().lower() for part in header.split(",")) if name]
    packed = [name for name in names if name in _PACKED]
    if len(packed) > 1 or any(name in _UNREADABLE for name in names):
        raise FetchError(
            Message(
                "{url} cannot be unpacked: it is encoded as {encoding!r}, which was not"
                " requested; expected one of: {accept_encoding}.",
                url=safe_url(url),
                encoding=header[:40],
                accept_encoding=ACCEPT_ENCODING,
            ),
            code="bad-encoding",
            url=safe_url(url),
        )
    return bool(packed)


def _unpacked(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Unpack gzip (several members too), zlib or bare deflate; raise zlib.error if incomplete."""
    decoder = None
    rest = b""
    for chunk in chunks:
        rest += chunk
        while rest:
            if decoder is None or decoder.eof:
                if len(rest) < 2:
                    break
                if decoder is not None and not rest.startswith(_GZIP):
                    return  # padding after the end, ignored as gzip(1) does
                decoder = zlib.decompressobj(_window(rest))
            yield decoder.decompress(rest, PIECE)
            rest = decoder.unused_data if decoder.eof else decoder.unconsumed_tail
    if decoder is None:
        if rest:
            raise zlib.error("too short")
        return
    yield decoder.flush()
    if not decoder.eof:
        raise zlib.error("incomplete")


def _window(start: bytes) -> int:
    """Return zlib's wbits for data with this start; "deflate" often comes without a header."""
    if start.startswith(_GZIP):
        return 31
    has_header = start[0] & 0x0F == 8 and (start[0] * 256 + start[1]) % 31 == 0
    return 15 if has_header else -15


def _too_large(url: str, max_bytes: int, declared: str = "") -> TooLarge:
    limit = f"{max_bytes / 1024 / 1024:.4g}"
    instead = (
        Message("; its Content-Length is {declared}", declared=declared[:20]) if declared else ""
    )
    message = Message(
        "{url} is larger than {limit} MB, the most that is read{instead}.",
        url=safe_url(url),
        limit=limit,
        instead=instead,
    )
    return TooLarge(message, url=safe_url(url))
