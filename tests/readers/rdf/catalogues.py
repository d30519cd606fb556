"""Catalogues in Turtle."""

from __future__ import annotations

PREFIXES = """
@prefix dcat: <http://www.w3.org/ns/dcat#> .
@prefix dct: <http://purl.org/dc/terms/> .
@prefix foaf: <http://xmlns.com/foaf/0.1/> .
@prefix hydra: <http://www.w3.org/ns/hydra/core#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix : <https://council.example/id/> .
"""


CATALOGUE = (
    PREFIXES
    + """
:catalogue a dcat:Catalog ; dct:title "All" ; dcat:dataset :trees, :bins .
:trees a dcat:Dataset ; dct:title "Trees"@en, "Coed"@cy ; dct:modified "2024-05-01"^^xsd:date ;
  dct:publisher :council ; dct:isPartOf :catalogue ; dct:relation :bins ;
  dct:temporal [ dcat:startDate "2024" ] ;
  dcat:distribution [ dcat:downloadURL <https://council.example/a.csv> ],
    [ dcat:downloadURL <https://council.example/a.csv> ],
    [ dcat:downloadURL <https://council.example/b.csv> ;
      dct:license [ dct:title "Free \\"as\\" in\\nbeer" ] ] .
:bins a dcat:Dataset ; dct:title "Bins" ; dct:publisher :council .
:council a foaf:Agent ; foaf:name "A council" ; foaf:made :trees, :bins .
"""
)


def dataset(number: int, more: str = "") -> str:
    return f':{number} a dcat:Dataset ; dct:title "Title {number}" . {more}\n'
