"""What each problem and error is called, and what it means for the record that has it.

A title names the defect in six words at most, as heading of all the records that have it; what to
change is in TIPS (core/problems.py). The severity is that of most cases: what a code meant in one
case is known by what became of the record or of the run, see ``severity_of``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

# From the worst to the least; also the order of groups on a page.
STOP, LOST, PROBLEM, NOTE = SEVERITIES = ("stop", "lost", "problem", "note")

# The run stops: nothing is imported, nothing is deleted.
_STOPS = {
    "api-refused": "Source does not answer without login",
    "bad-encoding": "Compressed answer cannot be read",
    "bad-option": "Option not accepted",
    "bad-status": "Source answered with an error",
    "blocked": "Address not allowed",
    "config": "Setting not accepted",
    "context": "JSON-LD context is not included",
    "csw-refused": "CSW server refused the request",
    "doctype": "XML has a document type declaration",
    "empty-document": "No records found",
    "endless-folder": "Folders lead into each other",
    "endless-paging": "Pages do not end properly",
    "fetch": "Source gave no usable answer",
    "html": "Web page instead of XML",
    "html-page": "Web page instead of JSON",
    "json-syntax": "JSON cannot be read",
    "no-interface": "No known interface at this address",
    "no-links": "No links to metadata files",
    "no-search": "Source cannot be searched",
    "not-a-catalogue": "Address lists no datasets",
    "not-confirmed": "Setting waits for a sysadmin",
    "not-html": "Address is no web page",
    "not-xml": "XML cannot be read",
    "protocol": "Answer is not of this type",
    "rdf-syntax": "RDF cannot be read",
    "redirect": "Redirects lead to no answer",
    "source": "Source cannot be read",
    "too-deep": "Document is nested too deeply",
    "too-large": "Answer too large",
    "unknown-option": "Setting not known",
    "unreachable": "Source could not be reached",
    "wrong-root": "Document of another kind",
    "wrong-shape": "Answer has an unexpected structure",
    "xml-document": "XML instead of JSON",
    "xml-syntax": "XML is not well formed",
}

# The record is not brought in; what the portal has of it stays.
_LOST = {
    "duplicate-guid": "Identifier used twice",
    "ended-consumer": "Import ended without a word",
    "error": "Fault on this site",
    "index-failed": "Not accepted by the search index",
    "missing-identifier": "No identifier",
    "missing-title": "No title",
    "no-dataset": "No dataset in the record",
    "no-record": "No record in the file",
    "not-a-dataset": "Entry is not a dataset",
    "not-an-object": "Entry is not an object",
    "not-json": "Record is no readable JSON",
    "not-ntriples": "Stored copy cannot be read",
    "not-shown": "Listed, but could not be fetched",
    "not-valid": "Does not follow the standard",
    "other-kind": "Record of another kind",
    "other-record": "Address holds another record",
    "parse": "Record cannot be read",
    "record": "Record cannot be brought in",
    "rejected": "Not accepted by this portal",
    "schema": "File does not follow its schema",
    "unserved-record": "Catalogue cannot give the record",
}

# Brought in; something of it is missing or left out.
_PROBLEMS = {
    "bad-access-level": "Access level not understood",
    "bad-active": "Active is neither yes nor no",
    "bad-code": "Budget code not understood",
    "bad-date": "Date not understood",
    "bad-email": "E-mail address not usable",
    "bad-extent": "Area not usable",
    "bad-frequency": "Update frequency not understood",
    "bad-iri": "Address with signs not allowed",
    "bad-language": "Language not understood",
    "bad-media-type": "Media type not understood",
    "bad-number": "Number not understood",
    "bad-period": "Period not understood",
    "bad-rights-holder": "Rights holder not understood",
    "bad-size": "File size not understood",
    "bad-spatial": "Place or area not understood",
    "bad-tag": "Keyword not usable",
    "bad-type": "Kind of resource not understood",
    "bad-url": "Link not usable",
    "bad-value": "Value in the wrong form",
    "date-not-changed": "Changed, but not its date",
    "element-order": "Element in the wrong order",
    "empty-value": "Element without a value",
    "gml-version": "Outdated version of GML",
    "large-spatial": "Outline too large",
    "misplaced-element": "Element inside the wrong one",
    "missing-attribute": "Attribute missing",
    "missing-element": "Element missing",
    "missing-field": "Field missing",
    "missing-media-type": "Kind of file not given",
    "missing-parent": "Collection not found",
    "missing-url": "Resource without an address",
    "not-utf-8": "Characters not in UTF-8",
    "profile-failed": "This portal's profile failed",
    "repeated-element": "Element given more than once",
    "reversed-period": "Period ends before it begins",
    "schema-fault": "Does not follow the schema",
    "schema-root": "Record of another schema",
    "schematron": "Breaks a rule of the standard",
    "stray-text": "Text outside any element",
    "swapped-extent": "Coordinates in the wrong order",
    "too-many-distributions": "Too many files, some left out",
    "too-many-nodes": "Too much data around the dataset",
    "too-many-resources": "Too many resources, some left out",
    "unexpected-attribute": "Attribute not expected",
    "unexpected-value": "Value not in the list",
    "unknown-element": "Element not known",
    "unknown-format": "Format not known",
    "unknown-la-function": "Council function not in the list",
    "unknown-la-service": "Council service not in the list",
    "unknown-licence": "Licence not understood",
    "unknown-record-type": "Type of resource not in list",
    "unknown-reference-system": "Coordinate system not known",
    "wrong-namespace": "Element under the wrong namespace",
    "wrong-type": "Value of the wrong kind",
}

# Nothing is missing: it could be understood, or is left out on purpose.
_NOTES = {
    "archive-left-out": "Archive files left out",
    "byte-order-mark": "Byte order mark before the text",
    "converted-extent": "Area converted to degrees",
    "email-without-mailto": "E-mail address without mailto",
    "empty-entry": "Empty entry in a list",
    "empty-field": "Field without a value",
    "folder-left-out": "Sub-folders left out",
    "left-out": "Entries other than datasets",
    "link-elsewhere": "Links to elsewhere left out",
    "misnamed-field": "Field under another name",
    "more-faults": "More faults than are listed",
    "not-xml-file": "Files other than XML",
    "relative-url": "Link without its host",
    "repeated-link": "Same link given twice",
    "skipped": "Not meant for this portal",
    "too-long-to-judge": "Too long to check",
    "too-many-tags": "Too many keywords",
    "unknown-schema": "Version of the format not known",
    "wrong-case": "Field in the wrong case",
}


@dataclass(frozen=True, slots=True)
class Words:
    """What one code is called.

    Attributes:
        title: English, for ``_()``.
        severity: one of ``SEVERITIES``.
    """

    title: str
    severity: str


_TABLES = ((STOP, _STOPS), (LOST, _LOST), (PROBLEM, _PROBLEMS), (NOTE, _NOTES))

WORDS: Mapping[str, Words] = {
    code: Words(title, severity) for severity, titles in _TABLES for code, title in titles.items()
}

OTHER = Words("Other problem", PROBLEM)


def words_of(code: str) -> Words:
    """Return the words of a code; those of no known problem for any other."""
    return WORDS.get(code, OTHER)


def severity_of(code: str, *, consequence: str = PROBLEM) -> str:
    """Return how bad a problem was.

    Args:
        consequence: what became of the run or the record: "stop", "lost", or "problem" of one
            that came in, where the code tells whether anything is missing.
    """
    if consequence != PROBLEM:
        return consequence
    return NOTE if words_of(code).severity == NOTE else PROBLEM
