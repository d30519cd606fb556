"""Terms that the checks of GEMINI's rules compare with: code lists, and titles that must be cited.

Sources: UK GEMINI 2.3, INSPIRE's registers of codes
(http://inspire.ec.europa.eu/metadata-codelist). Short lists are arguments in rules.csv. INSPIRE's
themes are in ``core.values.theme_names``.
"""

from __future__ import annotations

# GEMINI 25: INSPIRE's LimitationsOnPublicAccess; the last part of a URL below it.
LIMITATIONS_ADDRESS = "http://inspire.ec.europa.eu/metadata-codelist/LimitationsOnPublicAccess/"
LIMITATIONS = frozenset(
    ("noLimitations", *(f"INSPIRE_Directive_Article13_1{letter}" for letter in "abcdefgh"))
)

# GEMINI 17: EPSG numbers of INSPIRE's default coordinate reference systems.
DEFAULT_CRS_ADDRESS = "http://www.opengis.net/def/crs/EPSG/0/"
DEFAULT_CRS_NUMBERS = frozenset(
    (4936, 4937, 4258, 3035, 3034, *range(3038, 3052), 5730, 5861, 5715, 7409)
)
DEFAULT_CRS = frozenset(
    (
        *(f"{DEFAULT_CRS_ADDRESS}{number}" for number in DEFAULT_CRS_NUMBERS),
        "http://codes.wmo.int/grib2/codeflag/4.2/_0-3-3",
    )
)

# GEMINI 6: INSPIRE's SpatialDataServiceCategory (Regulation 1205/2008, annex D 4), group by group.
_CATEGORIES = (
    "humanInteractionService humanCatalogueViewer humanGeographicViewer "
    "humanGeographicSpreadsheetViewer humanServiceEditor humanChainDefinitionEditor "
    "humanWorkflowEnactmentManager humanGeographicFeatureEditor humanGeographicSymbolEditor "
    "humanFeatureGeneralizationEditor humanGeographicDataStructureViewer "
    "infoManagementService infoFeatureAccessService infoMapAccessService "
    "infoCoverageAccessService infoSensorDescriptionService infoProductAccessService "
    "infoFeatureTypeService infoCatalogueService infoRegistryService infoGazetteerService "
    "infoOrderHandlingService infoStandingOrderService "
    "taskManagementService chainDefinitionService workflowEnactmentService "
    "subscriptionService "
    "spatialProcessingService spatialCoordinateConversionService "
    "spatialCoordinateTransformationService spatialCoverageVectorConversionService "
    "spatialImageCoordinateConversionService spatialRectificationService "
    "spatialOrthorectificationService spatialSensorGeometryModelAdjustmentService "
    "spatialImageGeometryModelConversionService spatialSubsettingService "
    "spatialSamplingService spatialTilingChangeService spatialDimensionMeasurementService "
    "spatialFeatureManipulationService spatialFeatureMatchingService "
    "spatialFeatureGeneralizationService spatialRouteDeterminationService "
    "spatialPositioningService spatialProximityAnalysisService "
    "thematicProcessingService thematicGoparameterCalculationService "
    "thematicClassificationService thematicFeatureGeneralizationService "
    "thematicSubsettingService thematicSpatialCountingService "
    "thematicChangeDetectionService thematicGeographicInformationExtractionService "
    "thematicImageProcessingService thematicReducedResolutionGenerationService "
    "thematicImageManipulationService thematicImageUnderstandingService "
    "thematicImageSynthesisService thematicMultibandImageManipulationService "
    "thematicObjectDetectionService thematicGeoparsingService thematicGeocodingService "
    "temporalProcessingService temporalReferenceSystemTransformationService "
    "temporalSubsettingService temporalSamplingService temporalProximityAnalysisService "
    "metadataProcessingService metadataStatisticalCalculationService "
    "metadataGeographicAnnotationService "
    "comService comEncodingService comTransferService comGeographicCompressionService "
    "comGeographicFormatConversionService comMessagingService "
    "comRemoteFileAndExecutableManagement "
)
SERVICE_CATEGORIES = frozenset(_CATEGORIES.split())

# GEMINI 41: INSPIRE requires the exact titles of its regulations.
_COMMON = "of the European Parliament and of the Council as regards"
INTEROPERABILITY = (
    "Commission Regulation (EU) No 1089/2010 of 23 November 2010 implementing Directive 2007/2/EC"
    f" {_COMMON} interoperability of spatial data sets and services"
)
NETWORK_SERVICES = (
    "Commission Regulation (EC) No 976/2009 of 19 October 2009 implementing Directive 2007/2/EC"
    f" {_COMMON} the Network Services"
)
# Accepted by the Schematron of GEMINI 2.3, with a warning.
INTEROPERABILITY_CAPITALS = INTEROPERABILITY.replace(
    "Commission Regulation", "COMMISSION REGULATION", 1
)
# The Schematron requires this date for both, though the regulation of 2009 is older.
REGULATIONS_DATE = "2010-12-08"

# GEMINI 52.
NETWORK_MODEL = "INSPIRE Data Specifications - Base Models - Generic Network Model"
NETWORK_MODEL_DATE = "2013-04-05"
