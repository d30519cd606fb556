"""RDF graphs as text: what a reader hands to the DCAT parser, and how the same graph stays equal.

The content of a record (``RawRecord.content``, FORM "rdf") is:

- N-Triples (https://www.w3.org/TR/n-triples/), one triple a line, each line ending in " .\\n",
  sorted by code point, no comments, no line twice;
- the triples of one dataset and of the nodes it owns: blank nodes, and URI nodes that the document
  describes (publisher, contact, distributions, licence, place, period, checksum …), at any depth.
  Nodes that several datasets share are in the content of each;
- never the triples of another dataset, series, catalogue or catalogue record: a link to one is
  kept (``<dataset> dcterms:isPartOf <other>``), what stands there is not;
- so that exactly one node has an ``rdf:type`` of ``DATASET_TYPES``: the record's dataset. It is a
  blank node where the source gave it no URI;
- literals as in the source (lexical form, language tag in lower case, datatype; xsd:string is not
  written). IRIs with characters that no IRI may have (blanks, braces …) have them percent-encoded;
- blank nodes are labelled by a hash of what hangs below them: equal siblings are one node.
"""

from __future__ import annotations

DCAT = "http://www.w3.org/ns/dcat#"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"

# What makes a node a record; the second kind is in use at OpenDataCommunities, the last elsewhere
# in the UK for what came before DCAT (void:Dataset counts only where nothing else is there).
DATASET_TYPES = (
    DCAT + "Dataset",
    DCAT + "DatasetSeries",
    "http://publishmydata.com/def/dataset#Dataset",
    "http://rdfs.org/ns/void#Dataset",
)
