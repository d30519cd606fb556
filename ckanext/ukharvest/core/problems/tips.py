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
    "bad-date": (
        "Write the date as year-month-day, such as 2024-05-31. You can add a time after a T: "
        "2024-05-31T14:30:00Z."
    ),
    "bad-default-extra": "Open the source's settings and write each extra field as name=value, such"
    " as region=North West, then run the source again in full.",
    "bad-email": "Write one email address only, such as opendata@example.gov.uk.",
    "bad-extent": "Give the box's four sides in degrees (WGS 84), such as -2.4, 53.3, -2.0 and"
    " 53.6, and an outline as gml:posList with its srsName.",
    "bad-frequency": "Write the interval as a word or in ISO 8601, such as monthly or R/P1M.",
    "bad-iri": (
        "Write the URL without spaces, quotes and brackets, or percent-encode them: "
        "https://example.gov.uk/my%20data."
    ),
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
    "bad-tag": (
        "Use tags of 2 to 100 letters, digits, spaces, - and _ in a list, such as [road "
        "safety, transport]."
    ),
    "bad-type": 'Write Type="Data" for data and Type="Document" for documents about it.',
    "bad-url": "Give a complete URL, such as https://example.gov.uk/data/roads.csv.",
    "converted-extent": "Give the box in degrees (WGS 84), such as -2.4, 53.3, -2.0 and 53.6, and"
    " name the data's own system in gmd:referenceSystemInfo.",
    "date-not-changed": "Set the date to the day of the change, such as 2024-05-31, whenever the"
    " record changes; a record made from a copy of another needs an identifier of its own.",
    "default-group-missing": "Ask a sysadmin of the portal to restore the group, or to take it out"
    " of the source's settings (default_groups), then run the source again in full.",
    "email-without-mailto": "Put mailto: in front of the address: mailto:opendata@example.gov.uk.",
    "empty-entry": "Remove the empty entry from the list, or fill in its fields, such as a "
    "title and a URL.",
    "empty-field": "Remove the field if you have no value for it, or fill it in, such as "
    "2024-05-31.",
    "format-not-saved": "Open the dataset's form on the portal and save it to see what is refused."
    " Correct that in your record, or give the file's format in the form, such as CSV.",
    "future-date": (
        "Write the day of publication or of the last change, such as 2024-05-31. Put the "
        "period that the data covers in its own field."
    ),
    "group-not-created": "Ask a sysadmin of the portal to rename or restore what has the group's"
    " name, such as a deleted group, then run the source again in full.",
    "large-spatial": "Give a simpler outline, or the box around it, such as -2.4,53.3,-2.0,53.6.",
    "long-text": "Shorten the text, and link a document for the rest of it, such as"
    " https://example.gov.uk/roads/notes.pdf.",
    "misnamed-field": "Use the name of the specification, such as license in data.json or"
    " dcat:distribution in DCAT.",
    "missing-field": (
        "Add the field, such as a contact's name and email address or the URL of the licence. "
        "Portals show it prominently."
    ),
    "missing-media-type": "Give the file's media type with its URL, such as text/csv.",
    "missing-parent": (
        "Give the identifier of a dataset in the same source, such as "
        "https://data.example.gov.uk/id/roads."
    ),
    "missing-url": "Give every file its URL, such as https://example.gov.uk/data/roads.csv.",
    "no-resources": "Add the URL of a file, a service or a page about the data, such as"
    " https://example.gov.uk/data/roads.csv.",
    "organisation-not-created": "Ask a sysadmin of the portal to rename or restore what has the"
    " organisation's name, such as a group, then run the source again in full.",
    "profile-failed": (
        "Contact the portal's sysadmin: one of the portal's own profiles, such as "
        "euro_dcat_ap_3, cannot read the record."
    ),
    "translation-failed": (
        "Contact the portal's sysadmin: one of the portal's plugins, such as a translation service,"
        " failed on this record."
    ),
    "relative-url": (
        "Give the complete URL with its host, such as https://example.gov.uk/data/roads.csv. "
        "On a CKAN site, set ckan.site_url."
    ),
    "repeated-link": (
        "Give each file or service once, for example one gmd:CI_OnlineResource, such as "
        "https://example.gov.uk/data/roads.csv."
    ),
    "reversed-period": "Give the earlier date as the beginning, such as 2019-04-01, and the"
    " later one as the end, such as 2020-03-31.",
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
    "too-many-values": "Keep the values that describe the whole dataset, such as its main theme.",
    "unexpected-value": "Write one of the values that the message lists, exactly as it lists them,"
    " such as Download.",
    "unknown-format": "Name the format by its usual short name or media type, such as CSV or"
    " text/csv.",
    "unknown-la-function": "Name the function by its identifier in the LGA's list, such as"
    " http://id.esd.org.uk/function/40, or by its exact label there.",
    "unknown-la-service": "Name the service by its identifier in the LGA's list, such as"
    " http://id.esd.org.uk/service/579, or by its exact label there.",
    "unknown-licence": (
        "Give the licence's URL, such as "
        "https://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/."
    ),
    "unknown-reference-system": (
        "Give the system by its URL in EPSG's register, such as "
        "http://www.opengis.net/def/crs/EPSG/0/27700."
    ),
    "view-not-created": "Ask an editor of the dataset to add a view by hand, on the tab Views of"
    " the resource's form.",
    "wrong-case": (
        "Write the field's name with the same capitals as the specification, such as "
        "accessLevel, not accesslevel."
    ),
    "wrong-type": (
        "Give the type of value that the message expects, such as the list [roads] instead of "
        "roads."
    ),
}

# Faults that the schemas and Schematrons of ISO 19139 and GEMINI report.
_OF_SCHEMAS = {
    "more-faults": (
        "Correct the other problems of the record and check it again, such as with ukharvest "
        "check. Then the rest is shown."
    ),
    "schema-fault": (
        "Change the element as the message says, such as moving gmd:protocol before gmd:name. "
        "An editor with the schemas of ISO 19139 shows the place."
    ),
    "schematron": (
        "Change the element as the message says, such as adding a mandatory element. The guide "
        "of the standard explains the rule."
    ),
    "too-long-to-judge": "Split the record, or ask the portal to choose faster validation_profiles,"
    " such as gemini2-3.",
    "unknown-record-type": (
        "Use a type of resource from ISO's list, in lower case, such as dataset, series or service."
    ),
}

# Defects of a document as a whole, and of its encoding.
_OF_DOCUMENTS = {
    "archive-left-out": "Put the XML files themselves into the folder, such as rivers.xml, not"
    " only the archive.",
    "byte-order-mark": "Save the document as UTF-8 without a byte order mark (UTF-8, not UTF-8 with"
    " BOM).",
    "folder-left-out": "Give the source the option depth, such as depth=1, if the sub-folders hold"
    " records too.",
    "left-out": (
        "You do not need to change anything. To have a data service or a series on the portal, give"
        ' it an identifier and a title, such as "identifier": "tides", "title": "Tides".'
    ),
    "link-elsewhere": (
        "Put the file into the same folder as the page and link it by its name, such as "
        'href="rivers.xml".'
    ),
    "not-utf-8": "Save or export the document as UTF-8, for example with encoding utf-8 in the"
    " program that writes it.",
    "not-xml-file": (
        "You do not need to change anything unless the file should be a record. Then publish "
        "it as XML, such as rivers.xml."
    ),
    "repaired-syntax": "Correct the document in this line. Until then, nothing is deleted that is"
    " missing from it.",
    "schema": (
        "Correct the element in this line to follow the schema, such as an Identifier before "
        "the Title. Until then, the portal can set the option validation=lenient."
    ),
    "service-left-out": "Give the service a dct:title, and describe the datasets that it serves in"
    " the same document, such as dcat:servesDataset <https://example.gov.uk/dataset/trees>.",
    "too-many-nodes": "Describe one dataset in each dcat:Dataset, and link to other data instead of"
    " embedding it, such as dct:relation <https://example.gov.uk/id/other>.",
    "unknown-schema": "Name the version that the document follows, such as"
    " https://project-open-data.cio.gov/v1.1/schema.",
}

# The record failed, or is skipped.
_OF_RECORDS = {
    "ended-consumer": (
        "Ask the portal's sysadmin to look for the cause in the log of the consumers, such as "
        "too little memory."
    ),
    "index-failed": (
        "You do not need to change the source. Ask the portal's sysadmin to check the search "
        "index, such as with ckan ukharvest doctor."
    ),
    "hook-failed": (
        "You do not need to change the source. Contact the portal's sysadmin: the plugin that the "
        "message names failed on this record, such as on a field that it does not have."
    ),
    "service-failed": (
        "You do not need to change the source. Ask the portal's sysadmin to check the service, "
        "such as with ckan ukharvest doctor, and to run the source again."
    ),
    "duplicate-guid": "Give every dataset an identifier of its own, such as roads-2024 and"
    " roads-2025.",
    "missing-identifier": "Give the dataset an identifier that never changes, such as"
    " https://example.gov.uk/id/dataset/roads.",
    "missing-title": "Give the dataset a title, such as Road traffic counts 2024.",
    "no-dataset": "Give the dataset's node the type dcat:Dataset, such as <#roads> a dcat:Dataset.",
    "no-record": "Put at least one record into the file, such as a gmd:MD_Metadata element.",
    "not-a-dataset": "Make this URL return datasets, such as package_show's answers with title "
    "and resources.",
    "not-an-object": 'Make each dataset an object, such as {"identifier": "roads", "title":'
    ' "Roads"}.',
    "not-json": "Make the dataset valid JSON. A checker such as jsonlint shows the place.",
    "not-ntriples": "Start a full run, so that the record is read again, such as after an upgrade.",
    "not-shown": (
        "Make package_show (CKAN) or GetRecordById (CSW) work for every record in the list, "
        "such as /api/3/action/package_show?id=roads. With SPARQL, the server must have statements "
        "about each."
    ),
    "not-valid": (
        "Correct what the message lists, such as a missing abstract, or ask the portal to set "
        "the source's option validation=report. Then the record is imported and its problems "
        "are shown."
    ),
    "other-kind": (
        "Skip such records with the source's option types, such as "
        "types=dataset,series,service, or remove them from the catalogue."
    ),
    "other-record": "Keep one record in one file, such as rivers.xml, and harvest again.",
    "parse": (
        "Make every entry of the list a dataset: an object with fields such as identifier and "
        "title."
    ),
    "record": "Correct what the message names, such as a missing title, and harvest again.",
    "rejected": "Change the fields that the message names to what this portal accepts, such as a"
    " licence from its list.",
    "skipped": (
        "You do not need to change anything: the record is not meant for this portal, such as "
        "a non-public one."
    ),
    "unserved-record": (
        "Request only this position from the catalogue, with startPosition and maxRecords=1, "
        "and correct the record that its log names, for example a record that is not valid XML."
    ),
}

# The run stops: nothing is imported, nothing is deleted.
_OF_SOURCES = {
    "api-refused": "Check the URL: its site must have this API, such as"
    " https://example.gov.uk/api/3/action/package_search. Check the names in the source's filter.",
    "bad-encoding": "Configure the server to send the document uncompressed or as complete gzip"
    " data, with Content-Encoding: gzip.",
    "bad-status": "Check the URL for typing errors. It must open in a browser, such as"
    " https://example.gov.uk/data.json. If the server has a fault, try again later.",
    "blocked": (
        "Use a public http or https URL, such as https://example.gov.uk/data.json. The "
        "portal's sysadmin can allow others."
    ),
    "context": "Write the JSON-LD context into the document, such as"
    ' "@context": {"dcat": "http://www.w3.org/ns/dcat#"}.',
    "csw-refused": "The catalogue must answer GetRecords of CSW 2.0.2 with ISO 19139 records, such"
    " as outputSchema=http://www.isotc211.org/2005/gmd. Check the names in the source's filter.",
    "oaipmh-refused": "The repository must answer ListRecords of OAI-PMH 2.0, such as"
    " ?verb=ListRecords&metadataPrefix=oai_dc. Check the names in the source's options.",
    "sparql-cut": "Raise the server's limits of rows and of time, or set the options page_size and"
    " batch_size to smaller numbers, such as 100 and 10.",
    "sparql-refused": "The server must answer SELECT, COUNT and CONSTRUCT of SPARQL 1.1, such as"
    " ?query=SELECT * WHERE { ?s ?p ?o } LIMIT 1. Check the graphs and the query in the source's"
    " options.",
    "no-template": "The description document must have a Url with a template for Atom or GeoJSON,"
    ' such as type="application/atom+xml".',
    "doctype": "Remove the <!DOCTYPE …> from the XML, so that it begins with its root element, such"
    " as <Inventory> or <gmd:MD_Metadata>.",
    "empty-document": (
        "Make sure that this URL returns a document with datasets, such as "
        "https://example.gov.uk/data.json. A failed export often leaves an empty file."
    ),
    "endless-folder": "Remove links from sub-folders back to their parent folder under another"
    " URL, or set the option depth lower, such as depth=1.",
    "endless-paging": "Make the link to the next page lead to further records and end with the last"
    " page, such as ?page=12 without a next.",
    "fetch": "Check that the URL opens in a browser, such as https://example.gov.uk/data.json.",
    "html": (
        "Give the URL of the document itself, such as https://example.gov.uk/inventory.xml, "
        "not of a page about it."
    ),
    "html-page": "Give the URL of the document itself, such as https://example.gov.uk/data.json,"
    " and check that it opens without a login.",
    "json-syntax": (
        "Correct the JSON in the line that the message names, such as an extra comma. A "
        "checker such as jsonlint shows the place."
    ),
    "needs-login": (
        "Make the URL open without a login. If it needs a password or a key, ask a sysadmin to add "
        "it as a secret, and enter its name, such as roads, in the source's form under “Name of a "
        "secret”."
    ),
    "no-interface": (
        "Give the site's own URL, such as https://data.example.gov.uk, and turn on one of its "
        "APIs, such as /data.json."
    ),
    "no-links": (
        "Link the files on the folder's page by their names, without slashes, such as "
        'href="rivers.xml", and use the URL of that page for the source.'
    ),
    "no-source": (
        "Check the URL, such as https://example.gov.uk/data.json. If it is right, fill in the form "
        "yourself: there you choose the type of the source."
    ),
    "no-search": "The site must answer package_search; otherwise remove the filter from the"
    " source, such as fq=organization:roads.",
    "not-a-catalogue": (
        'Give the URL of a list of datasets, such as {"dataset": […]} in data.json or nodes of '
        "the type dcat:Dataset in RDF."
    ),
    "not-html": (
        "Give the URL of a page with links to the files, such as https://example.gov.uk/metadata/."
    ),
    "not-xml": "Correct the XML in the line that the message names, such as a tag left open.",
    "own-site": (
        "Enter the URL of the site that the datasets come from, such as "
        "https://data.example.gov.uk. This portal cannot harvest itself."
    ),
    "protocol": (
        "Give the URL that this source type needs, such as https://example.gov.uk/data.json "
        "for data.json."
    ),
    "rdf-syntax": (
        "Correct the RDF in the line that the message names, such as a prefix that is not "
        "declared. A validator such as the W3C's shows the place."
    ),
    "redirect": (
        "Use the URL at the end of the redirects for the source, such as "
        "https://www.example.gov.uk/data.json."
    ),
    "source": "Correct what the message names, such as the URL https://example.gov.uk/data.json.",
    "too-deep": "Write the document with less nesting, such as all datasets in one list.",
    "too-large": "Serve the datasets in pages or as smaller documents, such as"
    " https://example.gov.uk/data.json?page=1.",
    "too-long": (
        "Shorten the number, text or name that the message names, such as a description of "
        "more than 20 MB. Numbers can have 1,000 characters and names 2,000."
    ),
    "unknown-source-type": (
        "Choose the type of source, such as data.json. Check tables and other data with their "
        "schema."
    ),
    "unreachable": (
        "Check the spelling of the server's name. The server must answer from outside its own "
        "network, with a valid certificate, such as https://example.gov.uk. If it does, try "
        "again."
    ),
    "wrong-root": (
        "Give the URL of a document with the expected root element, such as <Inventory> or "
        "<gmd:MD_Metadata>."
    ),
    "wrong-shape": (
        "Give the URL of an API that lists datasets, such as "
        "https://example.gov.uk/api/3/action/package_search."
    ),
    "xml-document": (
        "Give the URL of the JSON document, such as https://example.gov.uk/data.json, or "
        "choose a source type that reads XML."
    ),
    "xml-syntax": "Correct the XML in the line that the message names, such as a tag left open.",
}

# The source's form.
_OF_OPTIONS = {
    "bad-option": "Write the option as its help text says, such as max_resources=1000.",
    "config": "Correct the field of the source's form that the message names, such as its URL.",
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
    "error": (
        "Tell the portal's sysadmin, who can find the cause in the log, such as a full disk. "
        "The source is not the cause."
    ),
}
