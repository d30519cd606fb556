"""A catalogue of generated DCAT datasets, of the shapes that catalogues have; always the same."""

from __future__ import annotations

HOST = "https://data.thornbury.example"
_PREFIXES = {
    "dcat": "http://www.w3.org/ns/dcat#",
    "dct": "http://purl.org/dc/terms/",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "locn": "http://www.w3.org/ns/locn#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "spdx": "http://spdx.org/rdf/terms#",
    "vcard": "http://www.w3.org/2006/vcard/ns#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
_LICENCE = "https://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/"
_SUBJECTS = ("allotments", "bus stops", "culverts", "hedges", "street lights")


def uri(number: int) -> str:
    return f"{HOST}/id/{number:04}"


def title(number: int) -> str:
    return f"{_SUBJECTS[number % len(_SUBJECTS)].capitalize()} of parish {number}"


def turtle(count: int) -> str:
    """Return datasets 0 to count-1 with what they share: publishers, a theme, a catalogue."""
    prefixes = "".join(f"@prefix {name}: <{space}> .\n" for name, space in _PREFIXES.items())
    listed = ", ".join(f"<{uri(number)}>" for number in range(count))
    shared = (
        f'<{HOST}> a dcat:Catalog; dct:title "Thornbury"; dcat:dataset {listed} .\n'
        f'<{HOST}/theme> a skos:Concept; skos:prefLabel "Environment"@en, "Amgylchedd"@cy .\n'
    )
    for number in range(5):
        shared += (
            f'<{HOST}/org/{number}> a foaf:Organization; foaf:name "Department {number}";'
            f" foaf:mbox <mailto:d{number}@thornbury.example> .\n"
        )
    return prefixes + shared + "".join(_dataset(number) for number in range(count))


def _dataset(number: int) -> str:
    facts = [
        "a dcat:Dataset",
        f'dct:title "{title(number)}"@en',
        f'dct:description "What was found in parish {number}. \\"Yearly\\", 100 % – ä."',
        f'dct:identifier "thornbury-{number}"',
        f'dcat:keyword "{_SUBJECTS[number % 5]}", "parish {number % 40}"',
        f'dct:modified "2026-0{number % 9 + 1}-1{number % 10}"^^xsd:date',
        f"dct:license <{_LICENCE}>",
        _publisher(number),
        f'dcat:contactPoint [ a vcard:Kind; vcard:fn "Desk {number % 7}";'
        f" vcard:hasEmail <mailto:desk{number % 7}@thornbury.example> ]",
    ]
    if number % 2:
        facts.append(f"dcat:theme <{HOST}/theme>")
    if number % 3 == 0:
        facts.append(
            'dct:temporal [ a dct:PeriodOfTime; dcat:startDate "2020-01-01"^^xsd:date;'
            f' dcat:endDate "202{number % 6}-12-31"^^xsd:date ]'
        )
    if number % 4 == 0:
        east = -2.5 + number / 1000
        facts.append(
            f'dct:spatial [ a dct:Location; skos:prefLabel "Parish {number}"; dcat:bbox'
            f' "POLYGON(({east} 51.6,{east + 0.1} 51.6,{east + 0.1} 51.7,{east} 51.7,{east} 51.6))"'
            " ]"
        )
    if number % 10 == 9:
        facts.append(f"dct:isPartOf <{uri(number - 9)}>")
    file = f"{HOST}/files/{number}.csv"
    inner = (
        f'a dcat:Distribution; dct:title "Table {number}"; dcat:downloadURL <{file}>;'
        ' dcat:mediaType "text/csv"; spdx:checksum [ a spdx:Checksum; spdx:checksumValue'
        f' "{number:040x}" ]'
    )
    named = f"<{file}#file>"
    facts.append(f"dcat:distribution {named if number % 2 else f'[ {inner} ]'}")
    more = f"{named} {inner} .\n" if number % 2 else ""
    return f"<{uri(number)}> {'; '.join(facts)} .\n{more}"


def _publisher(number: int) -> str:
    if number % 5:
        return f"dct:publisher <{HOST}/org/{number % 5}>"
    return f'dct:publisher [ a foaf:Agent; foaf:name "Parish council {number}" ]'
