"""A profile for ckanext-dcat: DCAT-AP 3 with the fields of harvested datasets.

It extends ckanext-dcat's ``euro_dcat_ap_3`` and is used in its place: a second profile could only
add to what the first one wrote of labels and names that it does not know. A portal can use it for
the RDF pages of ckanext-dcat as well: ``ckanext.dcat.rdf.profiles = ukharvest``.

Imported only where ckanext-dcat is installed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote

from ckanext.dcat.profiles.base import CleanedURIRef, URIRefOrLiteral
from ckanext.dcat.profiles.euro_dcat_ap_3 import EuropeanDCATAP3Profile
from ckanext.dcat.utils import resource_uri
from rdflib import BNode, Literal, URIRef

from ckanext.ukharvest.core.records import Period
from ckanext.ukharvest.core.values import geometries, multivalue
from ckanext.ukharvest.core.values.dates import parse_date
from ckanext.ukharvest.core.values.text import clean_text
from ckanext.ukharvest.core.values.web_addresses import is_web_url, parse_url
from ckanext.ukharvest.export import dcat
from ckanext.ukharvest.export.dataset import Dataset, Resource, parse_geometry, parse_or_empty, read
from ckanext.ukharvest.export.dcat import name
from ckanext.ukharvest.export.files import describe_catalogue
from ckanext.ukharvest.export.rdf import SERVICE, encode_iri
from ckanext.ukharvest.parsers.dcat import distribution, extras

# Key of a package dict: the Catalogue, where many datasets share one.
CATALOGUE = "ukharvest_catalogue"
_DATES = {4: "gYear", 7: "gYearMonth", 10: "date"}  # by length of the text
_XSD = "http://www.w3.org/2001/XMLSchema#"

_TYPE = name("rdf:type")


class UkharvestProfile(EuropeanDCATAP3Profile):  # type: ignore[misc]
    """DCAT-AP 3, and each property that our own parser of DCAT reads."""

    def graph_from_dataset(self, dataset_dict: dict[str, Any], dataset_ref: Any) -> None:
        """Add a dataset to the graph."""
        catalogue = dataset_dict.get(CATALOGUE) or describe_catalogue()
        dataset = read(dataset_dict, catalogue)
        fields = dcat.rename(dataset, catalogue.language)
        super().graph_from_dataset(fields, dataset_ref)
        # Samples are links; without a URL of its own, none is a distribution.
        for sample in list(self.g.objects(dataset_ref, name("adms:sample"))):
            self.g.remove((sample, _TYPE, None))
        self._add_dataset(dataset, dataset_ref)
        resources = {resource["id"]: resource for resource in dataset_dict["resources"]}
        named = {resource["uri"]: resource for resource in fields.get("resources", ())}
        endpoints = []
        for resource in dataset.resources:
            node = CleanedURIRef(resource_uri(named[resource.uri]))
            own = resources[resource.id]
            self._add_resource(resource, own, node, dataset)
            dcat.add_services(self.g, node, named[resource.uri], own, resource.url)
            dcat.add_checksums(self.g, node, own)
            dcat.add_objects(self.g, node, own, distribution.OBJECTS)
            if clean_text(own.get("resource_type")) == "service":
                endpoints.append(resource.url)
        self._add_kind(dataset, dataset_ref, endpoints)

    def _add_dataset(self, dataset: Dataset, node: Any) -> None:
        own = dataset.extras
        self._add(node, "dct:identifier", dataset.guid)
        identifier = clean_text(own.get("identifier"))
        if identifier != dataset.guid:
            kind, label = "adms:Identifier", "skos:notation"
            self._add_label(node, "adms:identifier", identifier, kind, label)
        for theme in dataset.themes:
            if not is_web_url(theme):
                concept = self._node(node, "dcat:theme", "skos:Concept")
                self._add(concept, "skos:prefLabel", theme)
                if theme == dataset.main_theme:
                    self.g.add((concept, name("schema:position"), Literal(1)))
        self._add_uris(node, "dcat:inSeries", *filter(is_web_url, dataset.texts("in_series")))
        # The parser reads a contact's page and telephone number too.
        for contact in list(self.g.objects(node, name("dcat:contactPoint"))):
            self._add_uris(contact, "vcard:hasURL", dataset.contact.url)
            phone = quote(clean_text(own.get("contact-phone")), safe="+")
            self._add_uris(contact, "vcard:hasTelephone", f"tel:{phone}" if phone else "")
        self._add_date_triple(node, name("dct:created"), own.get("created"))
        is_named = own.get("license_id") not in (None, "", "notspecified")
        title = own.get("license_title") if is_named else ""
        self._add_licence(node, dataset.licence, clean_text(own.get("licence") or title))
        # Our parser repeats the access rights among the terms.
        access = clean_text(own.get("access_rights"))
        lines = (line for line in clean_text(own.get("rights")).split("\n") if line != access)
        self._add_label(node, "dct:rights", "\n".join(lines), "dct:RightsStatement")
        identifiers = multivalue.texts(own.get("spatial_identifier"))
        self._add_place(node, dataset.geometry, dataset.place, own.get("spatial_uri"), identifiers)
        dcat.add_objects(self.g, node, own, extras.OBJECTS)
        self._add_others(node, own, extras.SINGLE, extras.LISTS)
        self._add_periods(node, dcat.periods(own))

    def _add_periods(self, subject: Any, periods: Iterable[Period]) -> None:
        for period in periods:
            if period != Period():
                node = self._node(subject, "dct:temporal", "dct:PeriodOfTime")
                self._add_date_triple(node, name("dcat:startDate"), period.start)
                self._add_date_triple(node, name("dcat:endDate"), period.end)

    def _add_kind(self, dataset: Dataset, node: Any, endpoints: list[str]) -> None:
        """Write a service and a series as what they are, with its endpoints or its members.

        DCAT-AP requires an endpoint of a service: one without stays a dataset.
        """
        kind = clean_text(dataset.extras.get("resource-type"))
        if kind == "service" and endpoints:
            self.g.remove((node, _TYPE, name("dcat:Dataset")))
            self.g.add((node, _TYPE, name(SERVICE)))
            self._add_uris(node, "dcat:endpointURL", *endpoints)
        elif kind == "series":
            self.g.add((node, _TYPE, name("dcat:DatasetSeries")))
        for member in dataset.texts("series_members"):
            self.g.add((node, name("dcat:seriesMember"), URIRefOrLiteral(member)))

    def _add_resource(
        self, resource: Resource, own: Mapping[str, Any], node: Any, dataset: Dataset
    ) -> None:
        # Its own URLs, and the one that DCAT-AP requires.
        downloads = _urls(own.get("download_url")) or ([resource.url] if resource.is_file else [])
        self._add_uris(node, "dcat:downloadURL", *downloads)
        self._add_uris(node, "dcat:accessURL", *(_urls(own.get("access_url")) or [resource.url]))
        text = "" if resource.licence else clean_text(own.get("licence"))
        licence = resource.licence or ("" if text else dataset.licence)
        self._add_licence(node, licence, text)
        ends = (clean_text(own.get(f"temporal_coverage-{end}")) for end in ("from", "to"))
        self._add_periods(node, dcat.periods(own) or [Period(*ends)])
        self._add_place(
            node,
            parse_geometry(clean_text(own.get("spatial"))),
            clean_text(own.get("spatial-text")),
            own.get("spatial_uri"),
        )
        self._add_uris(node, "dct:accessRights", *_urls(own.get("access_rights")))
        self._add(node, "dct:identifier", clean_text(own.get("identifier")))
        self._add_others(node, own, distribution.SINGLE, distribution.LISTS)

    def _add_date_triple(
        self, subject: Any, predicate: Any, value: Any, _type: Any = Literal
    ) -> None:
        """Add a date as precise as it is given, and as it is spelled.

        Overrides ckanext-dcat's, which writes "Z" as "+00:00".
        """
        text = parse_or_empty(parse_date, str(value or ""))
        kind = _DATES.get(len(text), "dateTime")
        if kind == "dateTime":  # XML Schema's times have seconds
            text = re.sub(r"T(\d\d:\d\d)(?=Z|[+-]|\Z)", r"T\1:00", text)
        if text:
            literal = Literal(text, datatype=URIRef(_XSD + kind), normalize=False)
            self.g.add((subject, predicate, literal))

    def _add(self, node: Any, short: str, *texts: str) -> None:
        for text in filter(None, texts):
            self.g.add((node, name(short), Literal(text)))

    def _add_uris(self, node: Any, short: str, *uris: str) -> None:
        for uri in filter(None, uris):
            self.g.add((node, name(short), URIRef(encode_iri(uri))))

    def _node(self, subject: Any, short: str, kind: str) -> Any:
        """Add a blank node of a class as an object, and return it."""
        node = BNode()
        self.g.add((subject, name(short), node))
        self.g.add((node, _TYPE, name(kind)))
        return node

    def _add_label(
        self, subject: Any, short: str, text: str, kind: str, label: str = "rdfs:label"
    ) -> None:
        """Add a text as a node of a class, which the range of the property asks for."""
        if text:
            self._add(self._node(subject, short, kind), label, text)

    def _add_licence(self, node: Any, url: str, text: str) -> None:
        """Add a licence by URL, else one by its name."""
        if url:
            self._add_uris(node, "dct:license", url)
            self.g.add((URIRef(encode_iri(url)), _TYPE, name("dct:LicenseDocument")))
        else:
            self._add_label(node, "dct:license", text, "dct:LicenseDocument")

    def _add_place(
        self,
        subject: Any,
        geometry: geometries.Geometry | None,
        text: str,
        uris: Any,
        identifiers: Iterable[str] = (),
    ) -> None:
        """Add places: URIs, and a node with shape and name.

        Two nodes, because datasets with one URI may have different shapes.
        """
        self._add_uris(subject, "dct:spatial", *_urls(uris))
        identifiers = list(identifiers)
        if geometry or text or identifiers:
            place = self._node(subject, "dct:spatial", "dct:Location")
            self._add(place, "skos:prefLabel", text)
            self._add(place, "dct:identifier", *identifiers)
            if geometry:
                shape = json.dumps(geometry, separators=(",", ":"))
                kind = name("gsp:geoJSONLiteral")
                self.g.add((place, name("locn:geometry"), Literal(shape, datatype=kind)))

    def _add_others(
        self,
        node: Any,
        own: Mapping[str, Any],
        single: Mapping[str, str],
        lists: Mapping[str, str],
    ) -> None:
        """Add what our parser reads under these names and nothing above has written."""
        present = set(self.g.predicates(node))
        written: set[str] = set()
        for short, key in (*single.items(), *lists.items()):
            # The first of several properties for a name is DCAT's own.
            if key in written or not own.get(key):
                continue
            written.add(key)
            if name(short) in present:
                continue
            value = own[key]
            for text in multivalue.texts(value) if short in lists else [clean_text(value)]:
                if text:
                    self.g.add((node, name(short), URIRefOrLiteral(text)))


def _urls(value: Any) -> list[str]:
    """Return the URLs of a text that has several, as our parser of DCAT joins them."""
    texts = re.split(r",\s+", clean_text(value))
    return list(filter(None, (parse_or_empty(parse_url, text) for text in texts)))
