"""One generated GEMINI record, shaped as real ones are."""

from __future__ import annotations

import random
from xml.sax.saxutils import escape

from tests.gemini_extent import PLACES, extent
from tests.iso_spelling import code, el, nil, text

OGL = "http://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/"
NO_LIMITS = "http://inspire.ec.europa.eu/metadata-codelist/LimitationsOnPublicAccess/noLimitations"
HOST = "https://maps.wold.example"
CATALOGUE = f"{HOST}/csw?service=CSW&version=2.0.2&request=GetRecordById"
SUBJECTS = (
    "Ancient woodland", "Bathing waters", "Coastal erosion", "Drainage districts", "Eel passes",
    "Flood storage areas", "Green belt", "Heritage coast", "Inland waterways", "Joint cycle routes",
    "Kelp beds", "Landslips", "Mineral sites", "Noise contours", "Orchards", "Peat depth",
    "Quarries", "River gauges", "Soil carbon", "Tree cover", "Upland paths", "Veteran trees",
    "Water abstraction", "Air quality zones", "Yew groves",
)  # fmt: skip
TOPICS = ("environment", "planningCadastre", "oceans", "inlandWaters", "biota", "elevation")
FREQUENCIES = ("notPlanned", "asNeeded", "daily", "annually", "irregular", "continual")
LINKS = (  # name, protocol, function, address
    ("{} (CSV)", "", "download", "/files/{}.csv"),
    ("{}", "WWW:DOWNLOAD-1.0-http--download", "download", "/files/{}.zip"),
    ("WMS: {}", "OGC:WMS-1.3.0-http-get-\nmap", "", "/wms/{}?request=GetCapabilities&service=WMS"),
    ("{}", "OGC:WFS", "download", "/wfs/{}?service=WFS&request=GetCapabilities"),
    ("", "", "information", "/about/{}.html"),
    ("More about {}", "WWW:LINK-1.0-http--link", "information", "/about/{}"),
)


class Record:
    """One record being made; every choice comes from the catalogue's random numbers."""

    def __init__(
        self, number: int, guid: str, kind: str, rng: random.Random, data: list[str]
    ) -> None:
        self.number, self.guid, self.kind, self.rng, self.data = number, guid, kind, rng, data
        self.place = rng.choice(PLACES)
        self.subject = rng.choice(SUBJECTS)
        self.title = f"{self.subject} of the {self.place[0]}, sheet {number}"
        self.is_new = self.chance(0.6)  # GEMINI 2.3
        self.in_eastings = self.kind != "nonGeographicDataset" and self.chance(0.08)

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    def body(self) -> str:
        plain = self.kind == "dataset"
        level = nil("gmd:hierarchyLevelName", "inapplicable")
        parts = (
            text("gmd:fileIdentifier", self.guid),
            self.language("gmd:language"),
            code("gmd:hierarchyLevel", "MD_ScopeCode", self.kind),
            level if plain else text("gmd:hierarchyLevelName", self.kind),
            self.party("gmd:contact", "pointOfContact"),
            el("gmd:dateStamp", self.date(2019, 2026)),
            text("gmd:metadataStandardName", "UK GEMINI"),
            text("gmd:metadataStandardVersion", "2.3" if self.is_new else "2.1"),
            self.reference_systems(),
            el("gmd:identificationInfo", self.identification()),
            self.distribution(),
            self.quality(),
        )
        return "".join(parts)

    def language(self, name: str) -> str:
        if self.chance(0.15):
            return text(name, self.rng.choice(("eng", "en", "eng; GBR")))
        return code(name, "LanguageCode", "eng")

    def date(self, first: int, last: int) -> str:
        year, month, day = self.rng.randint(first, last), self.rng.randint(1, 6), self.number % 28
        date = f"{year}-{month:02}-{day + 1:02}"
        shape = self.rng.choices(("date", "time", "zone", "year", "month"), (12, 5, 2, 2, 1))[0]
        if shape in ("time", "zone"):
            return el("gco:DateTime", f"{date}T09:30:00{'Z' if shape == 'zone' else ''}")
        return el("gco:Date", {"year": date[:4], "month": date[:7]}.get(shape, date))

    def party(self, name: str, role: str) -> str:
        body = text("gmd:organisationName", "Wold Mapping Board", self.anchor(f"{HOST}/board"))
        if self.chance(0.4):
            body = text("gmd:individualName", "Robin Ashe") + body
        mail = text("gmd:electronicMailAddress", f"desk{self.number % 7}@wold.example")
        address = el("gmd:address", el("gmd:CI_Address", mail if self.chance(0.9) else ""))
        body += el("gmd:contactInfo", el("gmd:CI_Contact", address))
        body += code("gmd:role", "CI_RoleCode", role)
        return el(name, el("gmd:CI_ResponsibleParty", body))

    def anchor(self, href: str, share: float = 0.25) -> str:
        return href if self.is_new and self.chance(share) else ""

    def reference_systems(self) -> str:
        named = (
            ("urn:ogc:def:crs:EPSG::27700", ""),
            ("OSGB 1936 / British National Grid", "http://www.opengis.net/def/crs/EPSG/0/27700"),
            ("27700", ""),
            ("EPSG:4326", ""),
            ("WGS 84", "http://www.opengis.net/def/crs/EPSG/0/4326"),
            ("Local grid of the board", ""),
        )
        known = named[:2] if self.in_eastings else self.rng.choices(named, (5, 4, 2, 3, 3, 1))
        if self.kind == "nonGeographicDataset" or (not self.in_eastings and self.chance(0.25)):
            return ""
        value, href = self.rng.choice(known)
        body = text("gmd:code", value, href)
        if value.isdigit():
            body += text("gmd:codeSpace", "EPSG")
        for name in ("RS_Identifier", "referenceSystemIdentifier", "MD_ReferenceSystem"):
            body = el(f"gmd:{name}", body)
        return el("gmd:referenceSystemInfo", body)

    def identification(self) -> str:
        roles = self.rng.choices(("pointOfContact", "owner", "publisher", "custodian"), k=2)
        body = el("gmd:citation", el("gmd:CI_Citation", self.citation()))
        body += text(
            "gmd:abstract",
            f"{self.subject} as surveyed for sheet {self.number}.\nLines & areas <of all kinds>,"
            " with what was known of each when the sheet was last drawn – café tables left out.",
        )
        body += code("gmd:status", "MD_ProgressCode", "completed") if self.chance(0.3) else ""
        body += "".join(self.party("gmd:pointOfContact", role) for role in dict.fromkeys(roles))
        body += el(
            "gmd:resourceMaintenance",
            el(
                "gmd:MD_MaintenanceInformation",
                code(
                    "gmd:maintenanceAndUpdateFrequency",
                    "MD_MaintenanceFrequencyCode",
                    self.rng.choice(FREQUENCIES),
                ),
            ),
        )
        body += self.keywords() + self.constraints()
        return self.service(body) if self.kind == "service" else self.data_set(body)

    def citation(self) -> str:
        body = text("gmd:title", self.title)
        body += text("gmd:alternateTitle", f"Sheet {self.number}") if self.chance(0.3) else ""
        for kind in self.rng.choice((("publication",), ("creation", "revision"))):
            date = el("gmd:date", self.date(1995, 2018))
            body += el(
                "gmd:date", el("gmd:CI_Date", date, code("gmd:dateType", "CI_DateTypeCode", kind))
            )
        href = self.anchor(f"{HOST}/id/{self.guid}", 0.5)
        kind = self.rng.choice(("MD_Identifier", "RS_Identifier"))
        body += el(
            "gmd:identifier", el(f"gmd:{kind}", text("gmd:code", f"sheet-{self.number}", href))
        )
        return body

    def keywords(self) -> str:
        themes = "http://inspire.ec.europa.eu/theme/"
        words = text("gmd:keyword", "Land cover", self.anchor(f"{themes}lc", 0.5))
        title = text("gmd:title", "GEMET - INSPIRE themes, version 1.0")
        date = el("gmd:CI_Date", el("gmd:date", el("gco:Date", "2008-06-01")))
        cited = el("gmd:CI_Citation", title, el("gmd:date", date))
        groups = [words + el("gmd:thesaurusName", cited)]
        free = [self.subject, self.place[0], f"a > b / {self.number % 9}", ""]
        groups.append("".join(text("gmd:keyword", word) for word in free))
        if self.chance(0.5):
            groups.append(
                text("gmd:keyword", self.place[0]) + code("gmd:type", "MD_KeywordTypeCode", "place")
            )
        return "".join(
            el("gmd:descriptiveKeywords", el("gmd:MD_Keywords", group)) for group in groups
        )

    def constraints(self) -> str:
        other = "otherRestrictions"
        limits = text("gmd:otherConstraints", "No limitations", self.anchor(NO_LIMITS, 0.9))
        access = code("gmd:accessConstraints", "MD_RestrictionCode", other) + limits
        words = "Open Government Licence v3.0"
        use = code("gmd:useConstraints", "MD_RestrictionCode", other)
        blocks = {
            "anchor": el("gmd:MD_LegalConstraints", use, text("gmd:otherConstraints", words, OGL)),
            "text": el("gmd:MD_LegalConstraints", use, text("gmd:otherConstraints", words)),
            "plain": el("gmd:MD_Constraints", text("gmd:useLimitation", f"{words}: {OGL}")),
            "legal": el("gmd:MD_LegalConstraints", text("gmd:useLimitation", OGL), use),
            "own": el("gmd:MD_Constraints", text("gmd:useLimitation", "Ask the map desk first")),
            "none": el("gmd:MD_Constraints", nil("gmd:useLimitation", "unknown")),
        }
        chosen = self.rng.choices(list(blocks), (5, 3, 3, 2, 3, 1))[0]
        both = (blocks[chosen], el("gmd:MD_LegalConstraints", access))
        return "".join(el("gmd:resourceConstraints", block) for block in both)

    def data_set(self, body: str) -> str:
        if self.chance(0.5):
            body += code(
                "gmd:spatialRepresentationType", "MD_SpatialRepresentationTypeCode", "vector"
            )
        if self.chance(0.3):
            scale = el("gmd:denominator", el("gco:Integer", "50000"))
            scale = el("gmd:equivalentScale", el("gmd:MD_RepresentativeFraction", scale))
            body += el("gmd:spatialResolution", el("gmd:MD_Resolution", scale))
        body += self.language("gmd:language")
        for topic in self.rng.sample(TOPICS, self.rng.choice((1, 1, 2))):
            body += el("gmd:topicCategory", el("gmd:MD_TopicCategoryCode", topic))
        body += self.extent()
        if self.chance(0.3):
            body += text("gmd:supplementalInformation", "The sheets overlap by one field.")
        return el("gmd:MD_DataIdentification", body)

    def extent(self) -> str:
        name = "srv:extent" if self.kind == "service" else "gmd:extent"
        has_box = self.kind != "nonGeographicDataset"
        inside = extent(self.place, self.number, self.rng, box=has_box, grid=self.in_eastings)
        return el(name, inside) if inside else ""

    def service(self, body: str) -> str:
        kind = self.rng.choice(("view", "download", "other"))
        body += el("srv:serviceType", el("gco:LocalName", kind)) + self.extent()
        body += code("srv:couplingType", "SV_CouplingType", "tight")
        for guid in self.rng.sample(self.data, min(len(self.data), self.rng.choice((0, 1, 2)))):
            address = f"{CATALOGUE}&id={guid}#{guid}"
            shapes = ({"xlink__href": address}, {"uuidref": guid, "xlink__href": address})
            body += el("srv:operatesOn", **self.rng.choice(shapes))
        return el("srv:SV_ServiceIdentification", body)

    def distribution(self) -> str:
        form = text("gmd:name", self.rng.choice(("CSV", "ESRI Shapefile", "GML")))
        version = nil("gmd:version", "unknown") if self.is_new else text("gmd:version", "1.0")
        body = el("gmd:distributionFormat", el("gmd:MD_Format", form, version))
        links = "".join(map(self.link, self.rng.sample(LINKS, self.rng.choice((0, 1, 1, 2, 3)))))
        options = el("gmd:MD_DigitalTransferOptions", links)
        if self.chance(0.12):
            party = self.party("gmd:distributorContact", "distributor")
            options = el("gmd:distributorTransferOptions", options)
            body += el("gmd:distributor", el("gmd:MD_Distributor", party, options))
        else:
            body += el("gmd:transferOptions", options)
        return el("gmd:distributionInfo", el("gmd:MD_Distribution", body))

    def link(self, shape: tuple[str, str, str, str]) -> str:
        name, protocol, function, path = shape
        body = el("gmd:linkage", el("gmd:URL", escape(HOST + path.format(self.number))))
        body += text("gmd:protocol", protocol) if protocol else ""
        body += text("gmd:name", name.format(self.subject)) if name else nil("gmd:name")
        if self.chance(0.7):
            body += text("gmd:description", f"What sheet {self.number} shows")
        if function:
            body += code("gmd:function", "CI_OnLineFunctionCode", function)
        return el("gmd:onLine", el("gmd:CI_OnlineResource", body))

    def quality(self) -> str:
        scope = code("gmd:level", "MD_ScopeCode", self.kind)
        body = el("gmd:scope", el("gmd:DQ_Scope", scope))
        if self.chance(0.5):
            title = "Commission Regulation (EU) No 1089/2010 of 23 November 2010"
            cited = el("gmd:CI_Citation", text("gmd:title", title))
            passed = el("gco:Boolean", "true") if self.chance(0.6) else ""
            result = el("gmd:specification", cited) + text("gmd:explanation", "See the title")
            result += el("gmd:pass", passed) if passed else nil("gmd:pass", "unknown")
            for name in ("DQ_ConformanceResult", "result", "DQ_DomainConsistency", "report"):
                result = el(f"gmd:{name}", result)
            body += result
        statement = text("gmd:statement", f"Drawn by hand, checked in {1990 + self.number % 30}.")
        body += el("gmd:lineage", el("gmd:LI_Lineage", statement))
        return el("gmd:dataQualityInfo", el("gmd:DQ_DataQuality", body))
