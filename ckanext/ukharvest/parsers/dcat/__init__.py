"""Datasets in RDF: DCAT 1 to 3, DCAT-AP, data.gov.uk's dialect, VoID and schema.org."""
