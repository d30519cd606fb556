"""Title and severity of each problem and error code.

A title names the defect in six words at most, as the heading of all records that have it; what
to change is in TIPS (tips.py). The severity is the usual one: for a single case see
``severity_of``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ckanext.ukharvest.core.str_enum import StrEnum


class Severity(StrEnum):
    """From the worst to the least; also the order of groups on a page."""

    STOP = "stop"
    LOST = "lost"
    PROBLEM = "problem"
    NOTE = "note"


# Numbers of entries in the name of a problem's field: "distribution[2].mediaType".
ENTRY_NUMBERS = re.compile(r"\[[0-9]+\]")

STOP, LOST, PROBLEM, NOTE = SEVERITIES = tuple(Severity)

# The run stops: nothing is imported, nothing is deleted.
_STOPS = {
    "api-refused": "Source refused the request",
    "bad-encoding": "Compressed answer cannot be read",
    "bad-option": "Option not accepted",
    "bad-status": "Source answered with an error",
    "blocked": "URL not allowed",
    "config": "Setting not accepted",
    "context": "JSON-LD context is not included",
    "csw-refused": "CSW server refused the request",
    "doctype": "XML has a document type declaration",
    "empty-document": "No records found",
    "endless-folder": "Folders lead into each other",
    "endless-paging": "Pages do not end properly",
    "fetch": "Source gave no usable answer",
    "html": "Web page instead of XML",
    "html-page": "Web page instead of data",
    "json-syntax": "JSON cannot be read",
    "needs-login": "Source asks for a login",
    "no-interface": "No known API at this URL",
    "no-source": "No source found at this URL",
    "oaipmh-refused": "OAI-PMH server refused the request",
    "sparql-cut": "SPARQL result is not whole",
    "sparql-refused": "SPARQL server refused the query",
    "no-template": "Search offers neither Atom nor GeoJSON",
    "no-links": "No links to metadata files",
    "no-search": "Source cannot be searched",
    "not-a-catalogue": "URL lists no datasets",
    "not-confirmed": "Setting needs a sysadmin's confirmation",
    "not-html": "URL is not a web page",
    "not-xml": "XML cannot be read",
    "own-site": "Source is this portal itself",
    "protocol": "Answer is not of this type",
    "rdf-syntax": "RDF cannot be read",
    "redirect": "Redirects lead to no answer",
    "source": "Source cannot be read",
    "too-deep": "Document is nested too deeply",
    "too-large": "Answer too large",
    "too-long": "Number, text or name too long",
    "unknown-option": "Setting not known",
    "unknown-source-type": "Format not recognised",
    "unreachable": "Source could not be reached",
    "wrong-root": "Document of another type",
    "wrong-shape": "Answer has an unexpected structure",
    "xml-document": "XML instead of JSON",
    "xml-syntax": "XML is not well formed",
}

# The record is not imported; its dataset on the portal stays.
_LOST = {
    "duplicate-guid": "Identifier used twice",
    "ended-consumer": "Import ended without a result",
    "error": "Fault on this site",
    "hook-failed": "A plugin of this portal failed",
    "index-failed": "Not accepted by the search index",
    "missing-identifier": "No identifier",
    "missing-title": "No title",
    "no-dataset": "No dataset in the record",
    "no-record": "No record in the file",
    "not-a-dataset": "Entry is not a dataset",
    "not-an-object": "Entry is not an object",
    "not-json": "Record is not valid JSON",
    "not-ntriples": "Stored copy cannot be read",
    "not-shown": "Listed, but could not be fetched",
    "not-valid": "Does not follow the standard",
    "other-kind": "Record of another type",
    "other-record": "URL has another record",
    "parse": "Record cannot be read",
    "record": "Record cannot be imported",
    "rejected": "Not accepted by this portal",
    "schema": "File does not follow its schema",
    "content-elsewhere": "Record is only named here",
    "unserved-record": "Catalogue cannot give the record",
    "service-failed": "A service of this site failed",
}

# Imported, but something is missing or left out.
_PROBLEMS = {
    "bad-access-level": "Access level not understood",
    "bad-active": "Active is neither yes nor no",
    "bad-code": "Budget code not understood",
    "bad-date": "Date not understood",
    "bad-default-extra": "Default extra not usable",
    "bad-email": "Email address cannot be used",
    "bad-extent": "Area not usable",
    "bad-frequency": "Update frequency not understood",
    "bad-iri": "Characters not allowed in URL",
    "bad-language": "Language not understood",
    "bad-media-type": "Media type not understood",
    "bad-number": "Number not understood",
    "bad-period": "Period not understood",
    "bad-rights-holder": "Rights holder not understood",
    "bad-size": "File size not understood",
    "bad-spatial": "Place or area not understood",
    "bad-tag": "Keyword not usable",
    "bad-type": "Resource type not understood",
    "bad-url": "Link not usable",
    "date-not-changed": "Changed, but not its date",
    "default-group-missing": "Group of the source not found",
    "format-not-saved": "Format found could not be saved",
    "future-date": "Date in the far future",
    "group-not-created": "Group could not be created",
    "large-spatial": "Outline too large",
    "long-text": "Text too long: not all imported",
    "missing-field": "Field missing",
    "missing-media-type": "File type missing",
    "missing-parent": "Collection not found",
    "missing-url": "Resource without a URL",
    "no-resources": "No files or links",
    "not-utf-8": "Characters not in UTF-8",
    "organisation-not-created": "Organisation could not be created",
    "profile-failed": "This portal's profile failed",
    "reversed-period": "Period ends before it begins",
    "schema-fault": "Does not follow the schema",
    "schematron": "Breaks a rule of the standard",
    "swapped-coordinates": "Latitude and longitude look swapped",
    "swapped-extent": "Coordinates in the wrong order",
    "too-many-distributions": "Too many files: some not read",
    "too-many-nodes": "Too much data around the dataset",
    "too-many-resources": "Too many resources: some not imported",
    "too-many-values": "Too many values: some not imported",
    "translation-failed": "This portal's translation failed",
    "unexpected-value": "Value not in the list",
    "unknown-format": "Format not known",
    "unknown-la-function": "Council function not in the list",
    "unknown-la-service": "Council service not in the list",
    "unknown-licence": "Licence not understood",
    "unknown-record-type": "Type of resource not in list",
    "unknown-reference-system": "Coordinate system not known",
    "view-not-created": "Preview could not be created",
    "wrong-type": "Value of the wrong type",
}

# Nothing is missing: the value was understood, or left out on purpose.
_NOTES = {
    "archive-left-out": "Archive files were not read",
    "byte-order-mark": "Byte order mark before the text",
    "converted-extent": "Area converted to degrees",
    "email-without-mailto": "Email address without mailto",
    "empty-entry": "Empty entry in a list",
    "empty-field": "Field without a value",
    "folder-left-out": "Sub-folders left out",
    "left-out": "Entries other than datasets",
    "link-elsewhere": "Links to other folders not followed",
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
class ProblemText:
    """Title and severity of one code.

    Attributes:
        title: English, for ``_()``.
        severity: one of ``SEVERITIES``.
    """

    title: str
    severity: str


_TABLES = ((STOP, _STOPS), (LOST, _LOST), (PROBLEM, _PROBLEMS), (NOTE, _NOTES))

PROBLEM_TEXTS: Mapping[str, ProblemText] = {
    code: ProblemText(title, severity)
    for severity, titles in _TABLES
    for code, title in titles.items()
}

OTHER = ProblemText("Other problem", PROBLEM)


def find_text(code: str) -> ProblemText:
    """Return the text of a code, ``OTHER`` for an unknown code."""
    return PROBLEM_TEXTS.get(code, OTHER)


def severity_of(code: str, *, consequence: str = PROBLEM) -> str:
    """Return the severity of a problem in one case.

    Args:
        consequence: the effect on the run or the record: "stop", "lost", or "problem" if it was
            imported; then the code tells whether anything is missing.
    """
    if consequence != PROBLEM:
        return consequence
    return NOTE if find_text(code).severity == NOTE else PROBLEM
