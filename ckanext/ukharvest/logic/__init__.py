"""Actions, authorisation, schemas and validators, as CKAN looks for them."""
