"""Labels of the elements of ISO 19139, ISO 19115-3 and Inventory records."""

from __future__ import annotations

# For elements whose own name ("pointOfContact") would not be clear.
LABELS = {
    # The record
    "fileIdentifier": "Identifier of the record",
    "metadataIdentifier": "Identifier of the record",
    "parentIdentifier": "Part of (identifier)",
    "parentMetadata": "Part of",
    "contact": "Contact for the record",
    "dateStamp": "Date of the record",
    "dateInfo": "Date of the record",
    "defaultLocale": "Language of the record",
    "otherLocale": "Other language",
    "locale": "Other language",
    "hierarchyLevel": "Kind of resource",
    "hierarchyLevelName": "Kind, in the publisher's words",
    "metadataScope": "Kind of resource",
    "resourceScope": "Kind of resource",
    "metadataStandardName": "Standard of the record",
    "metadataStandardVersion": "Version of the standard",
    "metadataStandard": "Standard of the record",
    "metadataProfile": "Profile of the standard",
    "metadataLinkage": "Address of the record",
    "metadataMaintenance": "Maintenance of the record",
    "metadataConstraints": "Constraints on the record",
    "dataSetURI": "Address of the dataset",
    "characterEncoding": "Character set",
    # The resource
    "identificationInfo": "The resource",
    "alternateTitle": "Also known as",
    "citedResponsibleParty": "Responsible party",
    "pointOfContact": "Responsible party",
    "presentationForm": "Form",
    "graphicOverview": "Preview picture",
    "descriptiveKeywords": "Keywords",
    "thesaurusName": "Vocabulary",
    "aggregationInfo": "Related resource",
    "associatedResource": "Related resource",
    "aggregateDataSetName": "Name",
    "aggregateDataSetIdentifier": "Identifier",
    "resourceFormat": "Format",
    "resourceMaintenance": "Maintenance",
    "maintenanceAndUpdateFrequency": "Frequency of update",
    "resourceSpecificUsage": "Known use",
    "spatialRepresentationType": "Spatial representation",
    "spatialRepresentationInfo": "Spatial representation",
    "equivalentScale": "Scale, 1 to",
    "supplementalInformation": "Additional information",
    "environmentDescription": "Software and computing environment",
    "defaultLanguage": "Language",
    # Terms
    "resourceConstraints": "Constraints on access and use",
    "useLimitation": "Limitations on use",
    "accessConstraints": "Limitations on public access",
    "useConstraints": "Conditions of use",
    "otherConstraints": "Constraints in words",
    "classification": "Security classification",
    # Where and when
    "westBoundLongitude": "West",
    "eastBoundLongitude": "East",
    "southBoundLatitude": "South",
    "northBoundLatitude": "North",
    "geographicIdentifier": "Place",
    "extentTypeCode": "Includes what is inside",
    "verticalElement": "Vertical extent",
    "verticalCRS": "Vertical reference system",
    "verticalCRSId": "Vertical reference system",
    "beginPosition": "From",
    "endPosition": "Until",
    "timePosition": "At",
    "referenceSystemInfo": "Spatial reference system",
    "referenceSystemIdentifier": "Spatial reference system",
    "referenceSystemType": "Kind of reference system",
    "posList": "Positions",
    "pos": "Position",
    # Who
    "individualName": "Person",
    "organisationName": "Organisation",
    "positionName": "Position",
    "electronicMailAddress": "Email",
    "voice": "Telephone",
    "number": "Telephone",
    "numberType": "Kind of number",
    "facsimile": "Fax",
    "deliveryPoint": "Street",
    "administrativeArea": "County or region",
    "postalCode": "Postcode",
    "onlineResource": "Website",
    "party": "Who",
    # Where to get it
    "distributionInfo": "Distribution",
    "distributorContact": "Contact",
    "distributorFormat": "Format",
    "distributionFormat": "Format",
    "distributionOrderProcess": "How to order",
    "distributorTransferOptions": "Ways to get it",
    "transferOptions": "Ways to get it",
    "unitsOfDistribution": "Delivered in units of",
    "transferSize": "Size in MB",
    "onLine": "Link",
    "offLine": "On a medium",
    "linkage": "Address",
    "applicationProfile": "Application profile",
    "formatSpecificationCitation": "Format",
    # Quality
    "dataQualityInfo": "Quality",
    "report": "Quality report",
    "nameOfMeasure": "Measure",
    "measureIdentification": "Identifier of the measure",
    "pass": "Passed",
    "resourceLineage": "Lineage",
    "processStep": "Step of processing",
    # Services
    "serviceType": "Kind of service",
    "serviceTypeVersion": "Version of the service",
    "containsOperations": "Operation",
    "operationName": "Name",
    "DCP": "Called by",
    "DCPList": "Called by",
    "distributedComputingPlatform": "Called by",
    "connectPoint": "Address",
    "coupledResource": "Coupled resource",
    "couplingType": "Coupling",
    "operatesOn": "Operates on",
    # Identifiers and code lists
    "codeSpace": "Register",
    "dateType": "Kind of date",
    # ISO 19115-2
    "acquisitionInformation": "How it was acquired",
    "acquisitionInfo": "How it was acquired",
    # Inventory
    "MimeType": "Media type",
    "ConformsTo": "Conforms to the schema",
    "RightsHolder": "Holder of the rights",
    "Rights": "Licence",
    "Temporal": "Period covered",
    "Spatial": "Place covered",
}

# Classes that are clearer than the property that holds them.
KINDS = {
    "SV_ServiceIdentification": "The service",
    "EX_GeographicBoundingBox": "Bounding box",
    "EX_BoundingPolygon": "Outline",
    "EX_TemporalExtent": "Period covered",
    "EX_VerticalExtent": "Vertical extent",
    "DQ_ConformanceResult": "Conformity",
    "QE_CoverageResult": "Coverage",
    "DQ_QuantitativeResult": "Measured quality",
    "CI_Individual": "Person",
}

# Properties that add nothing to their parent.
WEAK = frozenset(
    ("code", "statement", "distance", "denominator", "name", "value", "level", "description")
    + ("title", "date", "extent", "result", "scope", "resolution", "specification", "locale")
    + ("referenceSystemIdentifier", "geographicElement", "temporalElement", "verticalElement")
    + ("linkage", "language", "polygon", "exterior", "interior", "geometry")
    + ("metadataStandardName", "explanation", "organisationName", "individualName")
)

# Their parts are shown as parts of their parent.
TRANSPARENT = frozenset(
    ("citation", "contactInfo", "address", "party", "phone", "transferOptions")
    + ("PT_FreeText", "textGroup", "Datasets", "Resources", "Renditions", "Subjects")
)

# Types of values, not names.
NAMELESS = frozenset(
    ("CharacterString", "LocalisedCharacterString", "Anchor", "Decimal", "Integer", "Real")
    + ("Boolean", "Date", "DateTime", "Distance", "Measure", "Length", "Angle", "Scale", "URL")
    + ("LocalName", "ScopedName", "TypeName", "MemberName", "Binary", "FileName")
    + ("MimeFileType", "PT_FreeText", "textGroup")
)

# Reasons for a missing value, ISO 19139 (gco:nilReason) and ISO 19136.
NIL = {
    "missing": "Not given",
    "inapplicable": "Does not apply",
    "unknown": "Not known",
    "withheld": "Withheld",
    "template": "Will be given later",
}

LANGUAGES = {
    "eng": "English",
    "cym": "Welsh",
    "wel": "Welsh",
    "gla": "Scottish Gaelic",
    "gle": "Irish",
}

# Units by the names of registers: 9001 is the metre.
UNITS = {
    "urn:ogc:def:uom:EPSG::9001": "m",
    "EPSG::9001": "m",
    "http://www.opengis.net/def/uom/EPSG/0/9001": "m",
    "urn:ogc:def:uom:UCUM::m": "m",
    "degree": "°",
}
