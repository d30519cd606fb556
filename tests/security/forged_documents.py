"""Attacks by documents: whatever in an answer names another URL, in every format."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tests.publisher import Request, Response
from tests.security.stage import Attack, Change, Stage


def _bodies(edit: Callable[[Stage, str, str], str]) -> Change:
    """Change the text of all answers; ``edit`` gets the media type too."""

    def change(stage: Stage, _count: int, _request: Request, response: Response) -> Response:
        assert isinstance(response.body, bytes)
        media_type = response.headers.get("Content-Type", "")
        text = edit(stage, response.body.decode(), media_type)
        return replace(response, body=text.encode(), etag="")

    return change


_ROOT = re.compile(r"<(?![?!])[\w:.-]+")
_MARKUP = re.compile(r"\A\s*<(?!html)")


def _in_root(text: str, attributes: str) -> str:
    return _ROOT.sub(lambda found: f"{found[0]} {attributes}", text, count=1)


def _xml(edit: Callable[[str, str], str]) -> Change:
    """Change XML documents; ``edit`` gets the text and the canary's URL."""
    return _bodies(
        lambda stage, text, _type: edit(text, stage.canary.url()) if _MARKUP.match(text) else text
    )


def _doctype(declared: str) -> Change:
    def edit(text: str, url: str) -> str:
        root = _ROOT.search(text)
        assert root
        head, rest = text[: root.start()], text[root.start() :]
        head = re.sub(r"<!DOCTYPE.*", "", head, flags=re.DOTALL)
        return f"{head}<!DOCTYPE {root[0][1:]} {declared.format(url=url)}>{rest}"

    return _xml(lambda text, url: edit(text, url).replace("A description", "&inside; A text"))


def _within(markup: str) -> Change:
    """Put an element into the root, behind its start tag."""

    def edit(text: str, url: str) -> str:
        start = r"(<(?![?!])[\w:.-]+[^>]*(?<!/)>)"
        return re.sub(start, rf"\1{markup.format(url=url)}", text, count=1)

    return _xml(edit)


_JSON_LINKS = ("@context", "$schema", "conformsTo", "describedBy", "$ref", "next", "nextPage")


def _json_links(stage: Stage, text: str, _type: str) -> str:
    """Name the canary in every member that some reader of JSON may follow."""
    if not text.lstrip().startswith("{"):
        return text
    url = stage.canary.url()
    document = {**json.loads(text), **dict.fromkeys(_JSON_LINKS, url)}
    document["links"] = [{"rel": rel, "href": url} for rel in ("next", "data", "conformance")]
    for each in document.get("dataset", ()):
        each |= {"describedBy": url, "conformsTo": url, "@context": url, "schema_url": url}
        for file in each["distribution"]:
            file |= {"describedBy": url, "conformsTo": url, "schema_url": url, "accessURL": url}
    return json.dumps(document)


def _addresses(stage: Stage, text: str, _type: str) -> str:
    """Point every address of another host, and every link of a page, to the canary."""
    text = text.replace("https://data.example/", stage.canary.url("/"))
    text = text.replace("<li><a href=", f'<li><a href="{stage.canary.url("/b.xml")}">b</a><a href=')
    return text.replace(stage.publisher.base, f"http://127.0.0.1:{stage.canary.port}")


def _page_base(stage: Stage, text: str, _type: str) -> str:
    refresh = f'<meta http-equiv="refresh" content="0; url={stage.canary.url()}">'
    base = f'<base href="{stage.canary.url("/waf/")}">'
    return text.replace("<head>", f"<head>{base}{refresh}")


def _json_ld(document: dict[str, Any]) -> Change:
    def change(stage: Stage, _count: int, _request: Request, _response: Response) -> Response:
        text = json.dumps(document).replace("CANARY", stage.canary.url())
        return Response(text.encode(), headers={"Content-Type": "application/ld+json"})

    return change


_LOCATION = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="{0} {0}"'
_XI = '<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="{url}" parse="text"/>'
_OPERATIONS = (
    '<ows:OperationsMetadata xmlns:ows="http://www.opengis.net/ows"'
    ' xmlns:xlink="http://www.w3.org/1999/xlink"><ows:Operation name="GetRecords"><ows:DCP>'
    '<ows:HTTP><ows:Get xlink:href="{url}"/><ows:Post xlink:href="{url}"/></ows:HTTP></ows:DCP>'
    "</ows:Operation></ows:OperationsMetadata>"
)


def _capabilities(stage: Stage, _count: int, request: Request, response: Response) -> Response:
    """Answer as a CSW that takes requests at another URL only."""
    if not request.path.startswith("/csw"):
        return response
    operations = _OPERATIONS.format(url=stage.canary.url())
    text = f'<Capabilities xmlns="http://www.opengis.net/cat/csw/2.0.2">{operations}</Capabilities>'
    return Response(text.encode(), headers={"Content-Type": "application/xml"})


_HYDRA = "hydra:next <{}> ; hydra:nextPage <{}> ; <http://www.w3.org/2002/07/owl#imports> <{}>"


def _paging(stage: Stage, text: str, _type: str) -> str:
    url = stage.canary.url()
    return re.sub(r"hydra:next <[^>]*>", _HYDRA.format(url, url, url), text)


def _headers(stage: Stage, _count: int, _request: Request, response: Response) -> Response:
    url = stage.canary.url()
    more = {
        "Link": f'<{url}>; rel="next", <{url}>; rel="http://www.w3.org/ns/json-ld#context"',
        "Refresh": f"0; url={url}",
        "Content-Location": url,
        "Alt-Svc": f'h2="127.0.0.1:{stage.canary.port}"',
        "Location": url,
    }
    return replace(response, headers={**response.headers, **more})


_CATALOGUE = {"@type": "http://www.w3.org/ns/dcat#Catalog"}

DOCUMENTS = (
    Attack("document: headers", change=_headers),
    Attack("document: every address", change=_bodies(_addresses)),
    Attack("document: base and refresh of a page", change=_bodies(_page_base)),
    Attack("document: paging link", change=_bodies(_paging), followed=("dcat_rdf",)),
    Attack("document: members of JSON", change=_bodies(_json_links)),
    Attack(
        "document: @context",
        change=_json_ld({**_CATALOGUE, "@context": "CANARY"}),
        followed=("dcat_rdf",),
    ),
    Attack(
        "document: @context of a term",
        change=_json_ld({**_CATALOGUE, "@context": [{"a": {"@id": "x:a", "@context": "CANARY"}}]}),
        followed=("dcat_rdf",),
    ),
    Attack(
        "document: @import",
        change=_json_ld({**_CATALOGUE, "@context": {"@version": 1.1, "@import": "CANARY"}}),
        followed=("dcat_rdf",),
    ),
    Attack("document: @base", change=_json_ld({**_CATALOGUE, "@context": {"@base": "CANARY"}})),
    Attack("document: CSW operations", change=_within(_OPERATIONS)),
    Attack("document: CSW capabilities", change=_capabilities, followed=("gemini-csw",)),
    Attack("document: XInclude", change=_within(_XI)),
    Attack(
        "document: xsi:schemaLocation",
        change=_xml(lambda text, url: _in_root(text, _LOCATION.format(url))),
    ),
    Attack(
        "document: noNamespaceSchemaLocation",
        change=_xml(
            lambda text, url: _in_root(
                text,
                'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
                f' xsi:noNamespaceSchemaLocation="{url}"',
            )
        ),
    ),
    Attack(
        "document: XSLT",
        change=_xml(
            lambda text, url: re.sub(
                r"\A(<\?xml.*?\?>)?",
                rf'\1<?xml-stylesheet type="text/xsl" href="{url}"?>',
                text,
                count=1,
            )
        ),
    ),
    Attack("document: external DTD", change=_doctype('SYSTEM "{url}"')),
    Attack("document: public DTD", change=_doctype('PUBLIC "-//X//EN" "{url}"')),
    Attack("document: external entity", change=_doctype('[<!ENTITY inside SYSTEM "{url}">]')),
    Attack(
        "document: entity of a file",
        change=_doctype('[<!ENTITY inside SYSTEM "file:///etc/passwd">]'),
    ),
    Attack(
        "document: parameter entity",
        change=_doctype('[<!ENTITY % all SYSTEM "{url}"> %all;]'),
    ),
    Attack(
        "document: entity bomb",
        change=_doctype(
            '[<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">'
            '<!ENTITY inside "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">]'
        ),
    ),
)
