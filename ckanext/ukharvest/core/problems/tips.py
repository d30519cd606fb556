"""Advice for the publisher on each problem and error: one sentence with an example.

Messages say what was found and where; tips say what to change. tests/docs checks that every code
of the readers, parsers and stages has a tip, and that every tip has a code.
"""

from __future__ import annotations

from collections.abc import Mapping

# Problems: the record is imported, and something in it should be fixed.
_OF_FIELDS = {
    "bad-access-level": "Write one of: public, restricted public, non-public.",
    "bad-active": 'Write Active="Yes" or Active="No".',
    "bad-code": "Write the budget's codes with their colon, such as 015:11 (bureauCode) or 015:001"
    " (programCode).",
    "bad-date": "Write the day as year-month-day, such as 2024-05-31, with the time behind a T"
    " where it matters: 2024-05-31T14:30:00Z.",
    "bad-email": "Write one email address and nothing else, such as opendata@example.gov.uk.",
    "bad-extent": "Give the box's four sides in degrees (WGS 84), such as -2.4, 53.3, -2.0 and"
    " 53.6, and an outline as gml:posList with its srsName.",
    "bad-frequency": "Write the interval as a word or in ISO 8601, such as monthly or R/P1M.",
    "bad-iri": "Write the address without blanks, quotes and brackets, or percent-encode them:"
    " https://example.gov.uk/my%20data.",
    "bad-language": "Write a language tag of BCP 47, such as en, en-GB or cy.",
    "bad-media-type": "Write a media type as type/subtype, such as text/csv.",
    "bad-number": "Write the number alone, above 0 and with a point for decimals, such as 0.5 or"
    " 10000.",
    "bad-period": "Write the beginning and the end as dates with a slash between them, the earlier"
    " first, such as 2019-04-01/2020-03-31.",
    "bad-rights-holder": "Name the body that holds the rights, such as Borchester City Council, and"
    " put the licence into Rights.",
    "bad-size": "Write the size in bytes as a whole number, such as 20480.",
    "bad-spatial": "Give a place's name, a box as west,south,east,north in degrees, such as"
    " -2.4,53.3,-2.0,53.6, or a GeoJSON geometry.",
    "bad-tag": "Use tags of 2 to 100 letters, digits, blanks, - and _ in a list, such as"
    " [road safety, transport].",
    "bad-type": 'Write Type="Data" for data and Type="Document" for what explains it.',
    "bad-url": "Give a whole web address, such as https://example.gov.uk/data/roads.csv.",
    "converted-extent": "Give the box in degrees (WGS 84), such as -2.4, 53.3, -2.0 and 53.6, and"
    " name the data's own system in gmd:referenceSystemInfo.",
    "date-not-changed": "Set the date to the day of the change, such as 2024-05-31, whenever the"
    " record changes; a record made from a copy of another needs an identifier of its own.",
    "email-without-mailto": "Put mailto: in front of the address: mailto:opendata@example.gov.uk.",
    "empty-entry": "Take the empty entry out of the list, or give it its fields.",
    "empty-field": "Leave the field out where nothing is known, or fill it, such as 2024-05-31.",
    "future-date": "Write the day of publication or of the last change, such as 2024-05-31. The"
    " time that the data are about has a field of its own.",
    "large-spatial": "Give a simpler outline, or the box around it, such as -2.4,53.3,-2.0,53.6.",
    "misnamed-field": "Use the name of the specification, such as license in data.json or"
    " dcat:distribution in DCAT.",
    "missing-field": "Add the field, which portals show prominently, such as a contact's name and"
    " email address or the URL of the licence.",
    "missing-media-type": "Give the file's media type with its URL, such as text/csv.",
    "missing-parent": "Name the collection by the identifier of a dataset of the same source, such"
    " as https://data.example.gov.uk/id/roads.",
    "missing-url": "Give every file its web address, such as"
    " https://example.gov.uk/data/roads.csv.",
    "no-resources": "Add the URL of a file, a service or a page about the data, such as"
    " https://example.gov.uk/data/roads.csv.",
    "profile-failed": "Contact the portal, such as by email: one of its own profiles cannot read"
    " the record.",
    "relative-url": "Give the address with its host, such as https://example.gov.uk/data/roads.csv;"
    " a CKAN needs ckan.site_url set for that.",
    "repeated-link": "Give each file or service once, such as one gmd:CI_OnlineResource for"
    " https://example.gov.uk/data/roads.csv.",
    "reversed-period": "Give the earlier date as gml:beginPosition, such as 2019-04-01, and the"
    " later one as gml:endPosition, such as 2020-03-31.",
    "swapped-coordinates": "Write longitudes as west and east and latitudes as south and north, as"
    " in west -2.4, south 53.3, east -2.0, north 53.6.",
    "swapped-extent": "Put the lesser longitude west and the lesser latitude south, such as west"
    " -2.4, east -2.0, south 53.3, north 53.6, and coordinates in the order of their system.",
    "too-many-distributions": "Split the dataset, or ask the portal to raise the source's option"
    " max_resources, such as max_resources=2000.",
    "too-many-resources": "Split the dataset, or ask the portal to raise the source's option"
    " max_resources, such as max_resources=2000.",
    "too-many-tags": "Keep the few tags that people would search for, such as transport or air"
    " quality.",
    "unexpected-value": "Write one of the values that the message lists, exactly as it lists them,"
    " such as Download.",
    "unknown-format": "Name the format by its usual short name or media type, such as CSV or"
    " text/csv.",
    "unknown-la-function": "Name the function by its identifier in the LGA's list, such as"
    " http://id.esd.org.uk/function/40, or by its exact label there.",
    "unknown-la-service": "Name the service by its identifier in the LGA's list, such as"
    " http://id.esd.org.uk/service/579, or by its exact label there.",
    "unknown-licence": "Give the licence's web address, such as"
    " https://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/.",
    "unknown-reference-system": "Name the system by its address in EPSG's register, such as"
    " http://www.opengis.net/def/crs/EPSG/0/27700.",
    "wrong-case": "Write the field's name with the capitals of the specification, such as"
    " accessLevel, not accesslevel.",
    "wrong-type": "Give the kind of value that the message expects, such as the list [roads]"
    " instead of roads.",
}

# Faults that the schemas and Schematrons of ISO 19139 and GEMINI report.
_OF_SCHEMAS = {
    "more-faults": "Correct the other problems of the record and harvest again, such as by"
    " ukharvest check; the rest shows then.",
    "schema-fault": "Change the element as the message says, such as by moving gmd:protocol before"
    " gmd:name; an editor that knows the schemas of ISO 19139 shows the place.",
    "schematron": "Change the element as the rule asks, such as by adding what is mandatory; the"
    " guide of the standard that the message names explains it.",
    "too-long-to-judge": "Split the record, or ask the portal to choose faster validation_profiles,"
    " such as gemini2-3.",
    "unknown-record-type": "Use a type of resource from ISO's list, in small letters, such as"
    " dataset, series or service.",
}

# Defects of a document as a whole, and of its encoding.
_OF_DOCUMENTS = {
    "archive-left-out": "Put the XML files themselves into the folder, such as rivers.xml, not"
    " only the archive.",
    "byte-order-mark": "Save the document as UTF-8 without a byte order mark (UTF-8, not UTF-8 with"
    " BOM).",
    "folder-left-out": "Give the source the option depth, such as depth=1, if the sub-folders hold"
    " records too.",
    "left-out": "Nothing has to change: only datasets are harvested, such as a series' members.",
    "link-elsewhere": "Put the file into the folder of the page and link it by its name alone, such"
    ' as href="rivers.xml".',
    "not-utf-8": "Save or export the document as UTF-8, for example with encoding utf-8 in the"
    " program that writes it.",
    "not-xml-file": "Nothing has to change unless it should be a record; then serve it as XML, such"
    " as rivers.xml.",
    "schema": "Correct the element in that line as the format's schema asks, such as an Identifier"
    " before the Title; a portal can set the option validation=lenient until then.",
    "too-many-nodes": "Describe one dataset in each dcat:Dataset, and link to other data instead of"
    " embedding it, such as dct:relation <https://example.gov.uk/id/other>.",
    "unknown-schema": "Name the version that the document follows, such as"
    " https://project-open-data.cio.gov/v1.1/schema.",
}

# The record failed, or is skipped.
_OF_RECORDS = {
    "ended-consumer": "Ask the portal's sysadmin to look into the log of the consumers, such as for"
    " a lack of memory.",
    "index-failed": "Nothing has to change at the source: the portal's sysadmin looks after its"
    " search index, such as with ckan ukharvest doctor.",
    "service-failed": "Nothing has to change at the source: ask the portal's sysadmin to check the"
    " service, such as with ckan ukharvest doctor, and run the source again.",
    "duplicate-guid": "Give every dataset an identifier of its own, such as roads-2024 and"
    " roads-2025.",
    "missing-identifier": "Give the dataset an identifier that never changes, such as"
    " https://example.gov.uk/id/dataset/roads.",
    "missing-title": "Give the dataset a title, such as Road traffic counts 2024.",
    "no-dataset": "Give the dataset's node the type dcat:Dataset, such as <#roads> a dcat:Dataset.",
    "no-record": "Put at least one record into the file, such as one gmd:MD_Metadata.",
    "not-a-dataset": "Serve datasets at this address, such as package_show's answers with title and"
    " resources.",
    "not-an-object": 'Make each dataset an object, such as {"identifier": "roads", "title":'
    ' "Roads"}.',
    "not-json": "Make the dataset valid JSON; a checker such as jsonlint shows the place.",
    "not-ntriples": "Harvest the source again with force, so that the record is read again, for"
    " example after an upgrade.",
    "not-shown": "Make package_show (CKAN) or GetRecordById (CSW) answer for all that the list"
    " names, such as /api/3/action/package_show?id=roads.",
    "not-valid": "Correct what the message lists, such as a missing abstract, or ask the portal to"
    " set the source's option validation=report: the record then comes in with its problems shown.",
    "other-kind": "Leave such records out by the source's option types, such as"
    " types=dataset,series,service, or out of the catalogue.",
    "other-record": "Keep one record in one file, such as rivers.xml, and harvest again.",
    "parse": "Make every entry of the list a dataset, such as an object with identifier and title.",
    "record": "Correct what the message names, such as a missing title, and harvest again.",
    "rejected": "Change the fields that the message names to what this portal accepts, such as a"
    " licence from its list.",
    "skipped": "Nothing has to change: the record is not meant for this portal, such as a"
    " non-public one.",
    "unserved-record": "Ask the catalogue for this position by itself, with startPosition and"
    " maxRecords=1, and correct the record that its log names, such as one that is not valid XML.",
}

# The run stops: nothing is imported, nothing is deleted.
_OF_SOURCES = {
    "api-refused": "Make the URL open without a login, such as"
    " https://example.gov.uk/api/3/action/package_search.",
    "bad-encoding": "Configure the server to send the document uncompressed or as complete gzip"
    " data, with Content-Encoding: gzip.",
    "bad-status": "Check the URL for typing errors. It must open in a browser without a login, such"
    " as https://example.gov.uk/data.json.",
    "blocked": "Use a public http or https address, such as https://example.gov.uk/data.json; the"
    " portal's sysadmin can allow others.",
    "context": "Write the JSON-LD context into the document, such as"
    ' "@context": {"dcat": "http://www.w3.org/ns/dcat#"}.',
    "csw-refused": "The catalogue must answer GetRecords of CSW 2.0.2 with ISO 19139 records, such"
    " as outputSchema=http://www.isotc211.org/2005/gmd. Check the names in the source's filter.",
    "doctype": "Remove the <!DOCTYPE …> from the XML, so that it begins with its root element, such"
    " as <Inventory> or <gmd:MD_Metadata>.",
    "empty-document": "Serve the document at this address with its datasets, such as at"
    " https://example.gov.uk/data.json; a failed export often leaves an empty file.",
    "endless-folder": "Remove links from sub-folders back to their parent folder under another"
    " URL, or set the option depth lower, such as depth=1.",
    "endless-paging": "Make the link to the next page lead to further records and end with the last"
    " page, such as ?page=12 without a next.",
    "fetch": "Check that the URL opens in a browser, such as https://example.gov.uk/data.json.",
    "html": "Give the address of the document itself, such as https://example.gov.uk/inventory.xml,"
    " not of a page about it.",
    "html-page": "Give the URL of the document itself, such as https://example.gov.uk/data.json,"
    " and check that it opens without a login.",
    "json-syntax": "Correct the JSON in the line that the message names, such as a comma too many;"
    " a checker such as jsonlint shows the place.",
    "no-interface": "Give the site's own address, such as https://data.example.gov.uk, and switch"
    " on one of its interfaces, such as /data.json.",
    "no-links": "Link the files on the folder's page by their names alone, without slashes, such as"
    ' href="rivers.xml", and give the source that page\'s address.',
    "no-search": "The site must answer package_search; otherwise remove the filter from the"
    " source, such as fq=organization:roads.",
    "not-a-catalogue": "Give the address of the list of datasets, such as"
    ' {"dataset": […]} in data.json or nodes of the type dcat:Dataset in RDF.',
    "not-html": "Give the address of a page with links to the files, such as"
    " https://example.gov.uk/metadata/.",
    "not-xml": "Correct the XML in the line that the message names, such as a tag left open.",
    "protocol": "Give the address of the kind that the source's type reads, such as"
    " https://example.gov.uk/data.json for data.json.",
    "rdf-syntax": "Correct the RDF in the line that the message names, such as a prefix that is not"
    " declared; a validator such as the W3C's shows the place.",
    "redirect": "Give the portal the address that the redirects end at, such as"
    " https://www.example.gov.uk/data.json.",
    "source": "Correct what the message names, such as the address"
    " https://example.gov.uk/data.json.",
    "too-deep": "Write the document flat, such as datasets in one list, not within each other.",
    "too-large": "Serve the datasets in pages or as smaller documents, such as"
    " https://example.gov.uk/data.json?page=1.",
    "too-long": "Shorten the number, the text or the name that the message tells the place of: a"
    " number has at most 1,000 characters, a name 2,000, a text 20 MB.",
    "unreachable": "Check the spelling of the server's name. The server must answer from outside"
    " its own network, with a valid certificate, such as https://example.gov.uk. If it does, the"
    " fault may have passed.",
    "wrong-root": "Give the address of a document whose root element is the one expected, such as"
    " <Inventory> or <gmd:MD_Metadata>.",
    "wrong-shape": "Give the address of an interface that lists datasets, such as"
    " https://example.gov.uk/api/3/action/package_search.",
    "xml-document": "Give the address of the JSON document, such as"
    " https://example.gov.uk/data.json,"
    " or choose the source type that reads XML.",
    "xml-syntax": "Correct the XML in the line that the message names, such as a tag left open.",
}

# The source's form.
_OF_OPTIONS = {
    "bad-option": "Write the option as its help says, such as max_resources=1000.",
    "config": "Correct the field of the source's form that the message names, such as its address.",
    "not-confirmed": "Ask a sysadmin of the portal to open the source's form and save it.",
    "unknown-option": "Use the name of an option of this source type, such as max_resources.",
}

TIPS: Mapping[str, str] = {
    **_OF_FIELDS,
    **_OF_SCHEMAS,
    **_OF_DOCUMENTS,
    **_OF_RECORDS,
    **_OF_SOURCES,
    **_OF_OPTIONS,
    "error": "Tell the portal's sysadmin, who finds the cause in its log, such as a full disk; the"
    " source is not to blame.",
}
