"""A publisher that repeats a marked secret, and all that the portal stores to search for it."""

from __future__ import annotations

import base64
import contextlib
import itertools
import json
import zlib
from collections.abc import Iterator
from email.message import EmailMessage
from typing import Any
from urllib.parse import quote

import pysolr
import sqlalchemy as sa
from ckan import model
from ckan.lib.redis import connect_to_redis

from tests.ckan.catalogues import catalogue, dataset
from tests.publisher import Publisher, Request, Response

MARK = "Zq7+mark/9f=="
LOGIN = base64.b64encode(f"council:{MARK}".encode()).decode()
SPELLINGS = (MARK, quote(MARK, safe=""), quote(MARK))
FOUND = (*SPELLINGS, LOGIN, MARK.replace("/", r"\/"))
FORMS = {
    "header": (f"X-Api-Key: {MARK}", f"X-Api-Key: {MARK}"),
    "basic": (f"basic council:{MARK}", f"Basic {LOGIN}"),
    "query": (f"query api_key={MARK}", f"api_key={quote(MARK, safe='')}"),
}
# A word that comes with the secrets: what does not find it would not find them.
VISIBLE = "Visiblemark"


def marks(text: str) -> list[str]:
    return [each for each in FOUND if each.casefold() in text.casefold()]


class Echo(Publisher):
    """A publisher that wants the secret, and repeats it in all that it answers.

    Attributes:
        sent: what has to stand in each request.
        mode: how it answers.
    """

    sent = ""
    mode = "fine"
    elsewhere = ""

    def respond(self, request: Request) -> Response:
        self.requests.append(request)
        given = f"{request.path}\n{request.headers}"
        login = LOGIN if LOGIN in self.sent else ""
        said = f"{VISIBLE} {' '.join(SPELLINGS)} {login} {request.path}"
        if self.sent not in given:
            return Response(f"<title>Give {VISIBLE}</title>".encode(), 401)
        path = request.path.partition("?")[0]
        if self.mode == "fine" and path == "/start":
            query = "?" + self.sent if "api_key" in self.sent else ""
            return Response(status=302, headers={"Location": f"/data.json{query}"})
        if path == "/rdf":
            return Response(self.page(request.path), headers={"Content-Type": "text/turtle"})
        headers = {
            "ETag": f'"{self.sent}"',
            "X-Echo": quote(said),
            "Content-Type": "application/json",
        }
        page = f"<html><title>{said}</title><p>{said}</p></html>".encode()
        answers = {
            "fine": Response(self.document(said), headers=headers),
            "refused": Response(page, 403, headers),
            "fault": Response(page, 500, headers),
            "garbage": Response(page, 200, {**headers, "Content-Type": "text/html"}),
            "half": Response(self.document(said)[:300], 200, headers),
            "hang": Response(hang=True),
            "cut": Response(page, cut=-1),
            "elsewhere": Response(status=302, headers={"Location": self.elsewhere + said[12:30]}),
        }
        return answers[self.mode]

    def page(self, asked: str) -> bytes:
        """Return one of two pages of RDF, with its own URL and the next one's, as requested."""
        number = 2 if "page=2" in asked else 1
        more = f'; hydra:nextPage "{self.base}/rdf?{self.sent}&page=2"' if number == 1 else ""
        return (
            "@prefix dcat: <http://www.w3.org/ns/dcat#> ."
            " @prefix dct: <http://purl.org/dc/terms/> ."
            " @prefix hydra: <http://www.w3.org/ns/hydra/core#> .\n"
            f"<{self.base}{asked}> a hydra:PagedCollection ; hydra:totalItems 2 {more} .\n"
            f'<https://a.example/{number}> a dcat:Dataset ; dct:title "{VISIBLE} {number}" ;'
            f" dcat:landingPage <{self.base}{asked}> .\n"
        ).encode()

    def document(self, said: str) -> bytes:
        """Return a catalogue that has the secrets in every field of its second record."""
        link = f"{self.base}/file.csv?{FORMS['query'][1]}&a=1"
        full = dataset(1, identifier=said, title=said, description=said, keyword=[MARK, "roads"])
        full["contactPoint"] = {"fn": said, "hasEmail": f"mailto:{MARK}@somewhere.example"}
        full["publisher"] = {"@type": "org:Organization", "name": said}
        full |= {"landingPage": link, "license": link, "spatial": said, "modified": said}
        full["distribution"] = [{"title": said, "downloadURL": link, "mediaType": MARK}]
        failed = dataset(2, identifier=MARK, title="", description=said)
        text = json.dumps(catalogue([dataset(0), full, failed]))
        return text.replace("/", r"\/").encode()  # as PHP writes JSON


def mail_text(mail: EmailMessage) -> str:
    """Return headers and parts of a mail, decoded."""
    parts = [part.get_content() for part in mail.walk() if not part.is_multipart()]
    return "\n".join(map(str, (mail, *mail.values(), *parts)))


def stored_rows() -> Iterator[tuple[str, str]]:
    """Return table and row, as text, of every row of every table."""
    model.Session.remove()
    with model.meta.engine.connect() as connection:
        for table in sa.inspect(model.meta.engine).get_table_names():
            rows = connection.execute(sa.text(f'SELECT to_jsonb(t)::text FROM "{table}" t'))
            yield from ((table, row[0]) for row in rows)


def redis_values() -> Iterator[tuple[str, str]]:
    redis = connect_to_redis()
    read = {
        b"string": lambda key: [redis.get(key)],
        b"list": lambda key: redis.lrange(key, 0, -1),
        b"hash": lambda key: itertools.chain(*redis.hgetall(key).items()),
        b"set": redis.smembers,
        b"zset": lambda key: redis.zrange(key, 0, -1),
    }
    for key in redis.scan_iter():
        for value in read[redis.type(key)](key):
            with contextlib.suppress(zlib.error):
                value = zlib.decompress(value)  # background jobs
            yield key.decode(), value.decode("utf-8", "replace")


def index_documents(ckan_config: Any) -> Iterator[tuple[str, str]]:
    found = pysolr.Solr(ckan_config["solr_url"]).search("*:*", fl="*", rows=1000)
    yield from (("index", json.dumps(each, ensure_ascii=False)) for each in found)
