"""The files of a folder, read by a few threads and returned in the folder's order."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress

from ckanext.ukharvest.core.errors import BadStatus, FetchError, SourceError, Unreachable
from ckanext.ukharvest.core.http.client import HttpClient, Reply
from ckanext.ukharvest.core.records import Copy, Source, Validators
from ckanext.ukharvest.readers.waf.listing import Link
from ckanext.ukharvest.readers.xml_document.records import ACCEPT

AHEAD = 2  # files for each connection that are read before they are asked for
PATIENCE = 10  # failures in a row after which a server counts as down

Answer = Reply | FetchError | None  # None: nothing was asked, the listing shows the file unchanged


def answers(
    source: Source, links: Iterable[Link], connections: int
) -> Generator[tuple[Link, Answer], None, None]:
    """Yield each link's response; the caller closes the replies.

    Closed early, it makes no more requests; those in progress end by themselves.
    """
    waiting: deque[tuple[Link, Future[Reply] | None]] = deque()
    pool = ThreadPoolExecutor(connections, thread_name_prefix="ukharvest-waf")
    try:
        for link in links:
            copy = source.copies.get(link.url)
            if copy is not None and link.stamp and link.stamp == copy.modified:
                waiting.append((link, None))
            else:
                waiting.append((link, pool.submit(_get, source.http, link.url, copy)))
            if len(waiting) > connections * AHEAD:
                yield _answer(*waiting.popleft())
        while waiting:
            yield _answer(*waiting.popleft())
    finally:
        # Before any wait: a hanging server must not block a caller that gave up.
        pool.shutdown(wait=False, cancel_futures=True)
        for _link, asked in waiting:
            if asked is not None:
                asked.add_done_callback(_discard)


def _get(http: HttpClient, url: str, copy: Copy | None) -> Reply:
    return http.get(url, accept=ACCEPT, validators=_validators(copy))


def _validators(copy: Copy | None) -> Validators | None:
    if copy is None:
        return None
    # A stamp of the listing has the server's own format and zone; HTTP's dates end in GMT.
    is_http = copy.modified.endswith("GMT")
    return Validators(copy.etag, copy.modified if is_http else "")


def _answer(link: Link, asked: Future[Reply] | None) -> tuple[Link, Answer]:
    try:
        return link, None if asked is None else asked.result()
    except FetchError as exc:
        return link, exc


def _discard(asked: Future[Reply]) -> None:
    if not asked.cancelled():
        with suppress(FetchError):
            asked.result().close()


class Patience:
    """Counts failures in a row that affect a whole server, not one file."""

    def __init__(self) -> None:
        self._failures = 0

    def count(self, answer: object) -> None:
        """Count an answer or a failure.

        Raises:
            SourceError: so many failures in a row that the rest would only take hours to fail.
        """
        is_down = isinstance(answer, Unreachable) or (
            isinstance(answer, BadStatus) and answer.retryable
        )
        if not is_down:
            self._failures = 0
            return
        self._failures += 1
        if self._failures >= PATIENCE and isinstance(answer, FetchError):
            raise SourceError(
                f"{PATIENCE} addresses of the folder in a row gave no answer, so that its server"
                f" seems to be down; the last: {answer.message}",
                code=answer.code,
                url=answer.url,
            )
